"""Recall over real memory files and a real index: whose memory is asked, in which order, and with which words."""

import pytest

from tests.recall.conftest import Memory

# ---------------------------------------------------------------------- whose memory
NEIGHBOURS = ("app", "app-2", "app2", "ap", "apps", "my-app", "APP", "日本", "日本語")


@pytest.mark.parametrize("own", NEIGHBOURS)
def test_projects_that_look_alike_are_never_recalled_across(memory: Memory, own: str) -> None:
    """A project gets its own memory and the person's, however like its name another's is."""
    memory.write("reference/shared.md", "The harbour opens at six.")
    for slug in NEIGHBOURS:
        memory.write(f"projects/{slug}/reference/facts.md", f"The harbour of {slug} opens at six.")
    assert memory.paths("harbour opens", own) == [
        f"projects/{own}/reference/facts.md",
        "reference/shared.md",
    ]


@pytest.mark.parametrize("slug", ["", "*", "a%", "app/..", "[a-z]*"])
def test_who_has_no_project_gets_only_what_belongs_to_none(memory: Memory, slug: str) -> None:
    """Without a project, or with a name that is none, no project's memory is a hit."""
    memory.write("reference/shared.md", "The harbour opens at six.")
    memory.write("projects/app/reference/facts.md", "The harbour of app opens at six.")
    memory.write("projects/loose.md", "The harbour of loose opens at six.")
    assert memory.paths("harbour", slug) == ["reference/shared.md"]


def test_everywhere_asks_every_project(memory: Memory) -> None:
    """Asked everywhere, other projects' memory is found too."""
    memory.write("reference/shared.md", "harbour")
    memory.write("projects/app/reference/facts.md", "harbour")
    memory.write("projects/zoo/reference/facts.md", "The harbour of the zoo, among many other words, opens.")
    assert len(memory.paths("harbour", None)) == 3


def test_a_large_neighbour_starves_nobody(memory: Memory) -> None:
    """Hits that may not be seen, or that filters leave out, take no place from those that may."""
    memory.write("projects/other/reference/x.md", *(f"make check report work {n}" for n in range(400)))
    memory.write(
        "projects/app/reference/x.md", "Some longer line that says make in the midst of other words."
    )
    memory.write("skills/tidy/SKILL.md", "make it tidy")
    assert memory.paths("make check report work", "app", limit=2) == [
        "projects/app/reference/x.md",
        "skills/tidy/SKILL.md",
    ]
    assert memory.paths("make", "other", limit=1, path="skills/*") == ["skills/tidy/SKILL.md"]
    assert memory.paths("make", "other", limit=1, path="[!p]*") == ["skills/tidy/SKILL.md"]


def test_untrusted_memory_is_never_recalled(memory: Memory) -> None:
    """What lies in a folder `untrusted` is no answer, wherever the folder is."""
    memory.write("untrusted/a.md", "harbour")
    memory.write("projects/app/reference/untrusted/b.md", "harbour")
    memory.write("reference/untrusted-notes.md", "harbour")
    assert memory.paths("harbour", "app") == ["reference/untrusted-notes.md"]


# ---------------------------------------------------------------------- words
@pytest.mark.parametrize(
    "question",
    [
        '"', "'", "*", "(", "NEAR(", "a AND", "OR", "NOT", "^", "harbour:", "-", "{}", "a:b", "\\", "+",
        "words: harbour", '"harbour', "harbour*", "NEAR(harbour opens, 2)", "harbour AND NOT opens", "é\udcff", "%_",
    ],
)  # fmt: skip
def test_a_question_is_words_never_query_syntax(memory: Memory, question: str) -> None:
    """Whatever is typed is a question; with a known word in it, that word is found."""
    memory.write("reference/note.md", "The harbour opens at six.")
    assert bool(memory.ask(question)) == ("harbour" in question)


@pytest.mark.parametrize("question", ["", "   ", "?!", "…", "\n"])
def test_a_question_without_words_has_no_answer(memory: Memory, question: str) -> None:
    """No word, no hit, and no error."""
    memory.write("reference/a.md", "The harbour opens at six.")
    assert memory.ask(question) == []


def test_a_question_of_small_words_is_asked_with_them(memory: Memory) -> None:
    """Small words are left out beside others, and asked when there are no others."""
    memory.write("reference/a.md", "This is what it is.")
    memory.write("reference/b.md", "Harbour.")
    assert memory.paths("what is the harbour") == ["reference/b.md"]
    assert memory.paths("what is it") == ["reference/a.md"]


@pytest.mark.parametrize(
    ("line", "questions"),
    [
        ("長さは常にメートルで書く。", ["長さ", "メートル", "常", "長さはメートル", "書く", "く"]),
        ("提交信息总是用祈使语气", ["提交", "祈使语气", "气", "信息 语气"]),
        ("메모리는 항상 미터로 쓴다", ["메모리", "미터", "항상"]),
        ("npm実行の前にnvmを使う", ["npm", "nvm", "実行"]),
        ("Die Straße heißt Größe", ["straße", "GRÖSSE größe", "Straße"]),
        ("Le café naïf", ["cafe", "CAFÉ", "naif"]),
    ],
)
def test_a_part_of_a_line_finds_it_in_every_script(memory: Memory, line: str, questions: list[str]) -> None:
    """A word is found within a run of letters without spaces, and whatever its case or accents."""
    memory.write("reference/a.md", line)
    memory.write("reference/b.md", "something else 別の事")
    for question in questions:
        assert memory.paths(question) == ["reference/a.md"], question
        assert memory.ask(question)[0].why, question
    assert memory.ask("馬車") == []


def test_names_of_code_are_found_whole_and_in_parts(memory: Memory) -> None:
    """`step_count` is found by itself and by its parts; a file by the words of its path."""
    memory.write("reference/settings-file.md", "Set `dream.step_count` to 10.")
    for question in ("step_count", "dream.step_count", "step count", "settings"):
        assert memory.paths(question)[0] == "reference/settings-file.md", question
