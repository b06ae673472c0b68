"""The shape of memory files: nothing is lost between text and values, and a person's lines are told apart."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.memory import layout
from slowwave.memory.layout import MemoryFile
from slowwave.model import Author, Evidence

SESSION = "48ab2340-0000-4000-8000-000000000001"
SAID = Evidence("claude-code", SESSION, 2, Author.HUMAN, 'and run the "checks"\nnow')

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
VALUES = st.recursive(
    st.booleans() | st.integers() | TEXT | st.dates() | st.floats(allow_nan=False),
    lambda v: st.lists(v, max_size=3),
)
METAS = st.dictionaries(TEXT, VALUES, max_size=4)
QUOTES = TEXT.filter(bool)


@given(METAS, TEXT)
def test_a_rendered_file_reads_back_as_itself(meta: dict[str, object], body: str) -> None:
    """Parsing what was rendered gives the same file."""
    file = MemoryFile("reference/facts.md", meta, body)
    assert layout.parse(file.path, layout.render(file)) == file


@given(TEXT, TEXT)
def test_any_text_survives_reading_and_writing(front: str, body: str) -> None:
    """A file whose values did not change is written back letter by letter, also when its head is damaged."""
    text = f"---\n{front}\n---\n{body}"
    assert layout.render(layout.parse("system/a.md", text)) == text
    assert layout.render(layout.parse("system/a.md", body)) == body


@given(QUOTES, st.integers(1, 10**6), st.sampled_from(list(Author)))
def test_evidence_reads_back_as_itself(quote: str, turn: int, role: Author) -> None:
    """Whatever was quoted, the evidence below a line parses to what was written, on one line."""
    one = Evidence("codex", SESSION, turn, role, quote)
    entry = layout.learned_item("Use tabs.", ((one, date(2026, 2, 2)), (SAID, None)))
    (item,) = layout.items(entry)
    assert item.evidence == (one, SAID)
    assert item.dates == (date(2026, 2, 2), None)
    assert len(entry.splitlines()) == 3


def test_comments_and_unknown_keys_of_a_head_are_kept() -> None:
    """A person's comments, order and own keys stay when only the body changes."""
    text = "---\nzeta: 1 # mine\ndescription: a thing\n---\nold\n"
    file = layout.parse("reference/a.md", text)
    changed = MemoryFile(file.path, file.meta, "new\n", file.front)
    assert layout.render(changed) == text.replace("old", "new")
    assert layout.problems(file) == ()


@pytest.mark.parametrize(
    ("head", "word"),
    [
        ("description: x\nimportance: 2", "importance"),
        ("description: x\nconfidence: high", "confidence"),
        ("description: x\ntype: idea", "type"),
        ("description: x\nexpires: soon", "expires"),
        ("description: x\npinned: maybe", "pinned"),
        ("description: x\nsemantic_key: [a]", "semantic_key"),
        ("description: x\nsources: a", "sources"),
        ("type: semantic", "description"),
        ("description: [", "YAML"),
        ("- a\n- b", "key: value"),
    ],
)
def test_a_wrong_head_is_named(head: str, word: str) -> None:
    """Every wrong value is reported by its key, and a head that is no head as such."""
    (problem,) = layout.problems(layout.parse("system/a.md", f"---\n{head}\n---\n"))
    assert word in problem


def test_a_skill_is_named_as_its_folder() -> None:
    """A skill's name and its folder must agree."""
    good = layout.parse("skills/deploy/SKILL.md", "---\nname: deploy\ndescription: x\n---\n")
    bad = layout.parse("skills/ship/SKILL.md", "---\nname: deploy\ndescription: x\n---\n")
    assert layout.problems(good) == ()
    assert "ship" in layout.problems(bad)[0]


BODY = """
# Commands
- Run `make check`.
  Evidence: claude-code s1 turn 2, user, 2026-02-02: "and run the checks"
- When shipping:
  1. Build.
  2. Push.

## Old
* plain

```
- not an item
```
text
"""


def test_items_are_list_items_with_their_headings_and_nested_lines() -> None:
    """Nested lines belong to the item above them, code is no list, and line numbers point into the body."""
    items = layout.items(BODY)
    assert [(i.heading, i.text) for i in items] == [
        ("Commands", "Run `make check`."),
        ("Commands", "When shipping:\n1. Build.\n2. Push."),
        ("Commands / Old", "plain"),
    ]
    lines = BODY.split("\n")
    assert all("\n".join(lines[i.start_line : i.end_line]) == i.raw for i in items)
    assert items[0].evidence == (Evidence("claude-code", "s1", 2, Author.HUMAN, "and run the checks"),)
    assert layout.paragraphs(BODY, items) == ("```\n- not an item\n```\ntext",)


def test_a_line_a_person_touched_is_no_longer_the_machines() -> None:
    """The seal fits what the machine wrote, and stops fitting when the text changes."""
    entry = layout.learned_item("Use tabs.", ((SAID, None),))
    assert layout.items(entry)[0].untouched
    assert not layout.items(entry.replace("tabs", "spaces"))[0].untouched
    assert not layout.items("- Use tabs.")[0].untouched


@pytest.mark.parametrize(
    "path", ["notes.md", "system", "projects/p/notes.md", "a/../system/x.md", "system//x.md", ".git/x"]
)
def test_memory_has_no_such_place(path: str) -> None:
    """Only the three sections, at the root or below a project, are places of memory."""
    assert layout.place(path) is None


def test_places_tell_project_and_section() -> None:
    """The same section exists for everyone and for each project."""
    assert layout.place("system/user.md") == layout.Place("", "system", "user.md")
    assert layout.place(layout.skill_path("ship", "p")) == layout.Place("p", "skills", "ship/SKILL.md")
    files = {"system/a.md": "é", "projects/p/system/b.md": "abc", "reference/c.md": "zzzz"}
    assert (layout.system_size(files), layout.system_size(files, "p")) == (2, 3)


@given(TEXT)
def test_a_slug_is_one_plain_folder_name(name: str) -> None:
    """A slug is never empty, holds no separator, and slugifying it again changes nothing."""
    slug = layout.slugify(name)
    assert slug
    assert "/" not in slug
    assert not slug.startswith((".", "-"))
    assert layout.slugify(slug) == slug


def test_the_values_of_a_head_are_the_callers_own() -> None:
    """Changing the values of one reading changes no other reading of the same text."""
    text = "---\ntags: [a]\n---\n- one\n"
    layout.parse("reference/a.md", text).meta["tags"].append("b")
    assert layout.parse("reference/a.md", text).meta == {"tags": ["a"]}
