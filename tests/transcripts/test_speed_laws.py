"""What makes reading fast changes nothing that is read: fields left out, anchors asked first, middles not searched."""

import random
import re
from typing import Any, get_type_hints

import pytest
import re2
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slowwave.model import Author, Damage, Entry, EntryKind, altered
from slowwave.transcripts import anchors
from slowwave.transcripts.decode import RowDecoder
from slowwave.transcripts.formats import FORMATS, Place
from slowwave.transcripts.reading import tidy
from slowwave.transcripts.redact import Redactor
from slowwave.transcripts.spoken import SPOKEN
from slowwave.transcripts.tail import Line
from slowwave.transcripts.written import CONTEXTS, VALUES

from .samples import CLAUDE_FILES, CODEX_FILES, FIXTURES
from .test_redact import SECRETS

ANY, WRITTEN, SAID = (re2.compile(p) for p in (anchors.ANY, anchors.WRITTEN, anchors.SAID))
WRITTEN_RULES = [*VALUES.values(), *(p for _, p, _ in CONTEXTS)]
SPOKEN_RULES = [p for _, p, _ in SPOKEN]
FILES = [*(("claude-code", p) for p in CLAUDE_FILES), *(("codex", p) for p in CODEX_FILES)]
ROWS = [(name, line) for name, p in FILES for line in p.read_bytes().split(b"\n") if line]


class Thorough(Redactor):
    """Searches everything."""

    def spares(self, text: str, head: int, tail: int) -> bool:
        """Nothing."""
        return False


@pytest.mark.parametrize("rule", [*WRITTEN_RULES, *SPOKEN_RULES])
@settings(
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
@given(data=st.data())
def test_no_rule_finds_what_its_anchor_misses(rule: str, data: st.DataObject) -> None:
    """Text made after a rule has the anchors that are asked for first."""
    text = data.draw(st.from_regex(re.compile(rule), fullmatch=True)).encode("utf-8", "replace")
    if re2.compile(rule).search(text):
        assert ANY.search(text)
        assert (WRITTEN if rule in WRITTEN_RULES else SAID).search(text)


def test_every_context_has_its_opening() -> None:
    """One anchor for each rule, in the same order."""
    assert len(anchors.CONTEXTS) == len(CONTEXTS)


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.sampled_from([*sorted(SECRETS), "bearer", "run", "key"]), max_size=5),
    st.lists(st.integers(0, 6000), min_size=6, max_size=6),
    st.integers(0, 1 << 30),
)
def test_a_middle_left_out_is_not_missed(kinds: list[str], gaps: list[int], seed: int) -> None:
    """Wherever secrets stand in a long result, its ends are what a search of all of it gives."""
    r = random.Random(seed)
    text = ""
    for kind, gap in zip([*kinds, ""], gaps, strict=False):
        text += "".join(r.choice("some words of a log, line 12\n") for _ in range(gap))
        if kind == "bearer":
            text += "Authorization: Bearer " + "".join(r.choice("abcDEF123") for _ in range(gap))
        elif kind in {"run", "key"}:
            text += f"{kind} " + "x1Y" * gap
        elif kind:
            secret, around = SECRETS[kind]()
            text += " " + around.replace("{}", secret)
    entry = Entry(EntryKind.TOOL_RESULT, Author.TOOL, text, "1", 0, 1)
    assert tidy(entry, Redactor(b"k")) == tidy(entry, Thorough(b"k"))


def _told(name: str, lines: list[bytes], fields: type | None) -> tuple[list[Entry], tuple[Damage, ...]]:
    parser, rows, entries = FORMATS[name].parser(FIXTURES / "f.jsonl"), RowDecoder("f", fields), list[Entry]()
    for n, line in enumerate(lines):
        for row in rows.feed(Line(n, 1, line)):
            entries += parser.feed(row.row, Place(row.offset, row.length, 0, row.damaged))
    return [*entries, *parser.held()], rows.take_damage()


def _fields(name: str) -> Any:
    return FORMATS[name].FIELDS  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_the_fields_left_out_say_nothing(name: str) -> None:
    """Entries of real rows are the same with all their fields and with those the format asks for."""
    lines = [line for n, line in ROWS if n == name]
    assert len(lines) > 40
    assert "type" in get_type_hints(_fields(name))
    whole = _told(name, lines, None)
    assert whole[0]
    assert _told(name, lines, _fields(name)) == whole


@settings(deadline=None, max_examples=400)
@given(st.sampled_from(ROWS), st.integers(0, 1 << 20), st.binary(min_size=1, max_size=3), st.booleans())
def test_damage_is_seen_in_fields_left_out(row: tuple[str, bytes], at: int, new: bytes, insert: bool) -> None:
    """Whatever bytes are broken, entries and damage are those of reading every field."""
    name, line = row
    at %= len(line)
    broken = (line[:at] + new + line[at + (0 if insert else len(new)) :]).replace(b"\n", b" ")
    assert _told(name, [line, broken, line], _fields(name)) == _told(name, [line, broken, line], None)


def test_an_altered_entry_keeps_the_rest() -> None:
    """Only the named fields change."""
    entry = Entry(EntryKind.TEXT, Author.AGENT, "a", "1", 5, 6, tool="t", damaged=True)
    assert altered(entry, text="b") == Entry(
        EntryKind.TEXT, Author.AGENT, "b", "1", 5, 6, tool="t", damaged=True
    )
