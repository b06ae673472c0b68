"""Rows come out of damaged lines, and every repair is counted."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.model import Damage
from slowwave.transcripts.decode import PlacedRow, RowDecoder, decode
from slowwave.transcripts.tail import Line, read_lines

from .samples import CLAUDE_FILES, CODEX_FILES


def line(data: bytes, offset: int = 0) -> Line:
    """A line with these bytes."""
    return Line(offset, len(data) + 1, data)


def rows_of(path: Path) -> tuple[list[PlacedRow], tuple[Damage, ...]]:
    """All rows of a file, and its damage."""
    decoder = RowDecoder(str(path))
    rows = [row for x in read_lines(path) for row in decoder.feed(x)]
    return rows, decoder.take_damage()


def test_real_files_have_no_damage() -> None:
    """Every line of the fixtures is one undamaged row."""
    for path in (*CLAUDE_FILES, *CODEX_FILES):
        rows, damage = rows_of(path)
        assert damage == ()
        assert len(rows) == len(list(read_lines(path)))


@pytest.mark.parametrize(
    ("data", "rows", "reason"),
    [
        (b"", 0, ""),
        (b"  \r", 0, ""),
        (b'{"type":"x"}\r', 1, ""),
        (b'\xef\xbb\xbf{"type":"x"}', 1, ""),
        (b'{"type":"x"}\0\0\0', 1, "NUL bytes among the row"),
        (b"\0" * 50, 0, "only NUL bytes"),
        (b"[1,2]", 0, "the row is not a JSON object"),
        (b'{"type":"x"}{"type":"y"}', 2, "two rows on one line"),
        (b'{"type":"x","text":"cut he{"type":"y"}', 1, "a torn row before a whole one"),
        (b'{"timestamp":"1","a":{"timestamp":"2","type":"y"}', 1, "a torn row before a whole one"),
        (b'{"type":"x","t":"\xff\xfe"}', 1, "not valid UTF-8"),
        (b'{"type":"x","t":"cut', 0, "not valid JSON"),
        (b'{"a":' * 200_000, 0, "not valid JSON"),
    ],
)
def test_each_kind_of_damage_is_repaired_or_named(data: bytes, rows: int, reason: str) -> None:
    """What can be read is read; what was wrong is said; what is ordinary is no damage."""
    got, damage = decode(line(data), "f")
    assert len(got) == rows
    assert [d.reason for d in damage] == ([reason] if reason else [])


def test_lone_surrogates_become_valid_text() -> None:
    """Text cut inside an emoji can be encoded afterwards, and is no damage."""
    (row,), damage = decode(line(rb'{"type":"x","text":"a\ud83d b"}'))
    assert row["text"].encode().decode() == "a\ufffd b"
    assert damage == ()


def test_numbers_json_does_not_have_are_read() -> None:
    """NaN and huge integers do not hide a row."""
    (row,), _ = decode(line(b'{"type":"x","a":NaN,"b":123456789012345678901234567890}'))
    assert row["b"] == 123456789012345678901234567890


def test_a_raw_newline_in_a_string_is_joined(tmp_path: Path) -> None:
    """A row split over three lines by raw newlines is one row again, and its damage is counted once."""
    path = tmp_path / "f"
    path.write_bytes(b'{"type":"a"}\n{"type":"b","t":"one\ntwo\nthree"}\n{"type":"c"}\n')
    rows, damage = rows_of(path)
    assert [r.row["type"] for r in rows] == ["a", "b", "c"]
    assert rows[1] == PlacedRow({"type": "b", "t": "one\ntwo\nthree"}, 13, 33, damaged=True)
    assert [(d.offset, d.length) for d in damage] == [(13, 33)]


def test_a_bad_line_hides_no_other() -> None:
    """After lines that stay broken, every following row is read."""
    decoder = RowDecoder("f")
    data = [b'{"type":"a"}', b'{"torn', b"garbage", b'{"type":"b"}', b'{"also torn', b'{"type":"c"}']
    rows = [r.row["type"] for n, d in enumerate(data) for r in decoder.feed(line(d, n * 100))]
    assert rows == ["a", "b", "c"]
    assert [d.offset for d in decoder.take_damage()] == [100, 200, 400]
    assert decoder.take_damage() == ()


@given(st.binary(max_size=200))
def test_no_bytes_raise(data: bytes) -> None:
    """Whatever stands on a line, decoding it returns."""
    rows, damage = decode(line(data.replace(b"\n", b"")))
    assert all(isinstance(r, dict) for r in rows)
    assert len(damage) <= 1


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), _json, max_size=4))
def test_a_whole_row_comes_out_as_it_went_in(row: dict[str, Any]) -> None:
    """Decoding what was encoded changes nothing and finds nothing wrong."""
    assert decode(line(json.dumps(row).encode())) == ((row,), ())


@pytest.mark.parametrize(
    ("name", "damages"),
    [
        ("claude.bad-line-in-middle", 1),
        ("claude.blank-lines", 0),
        ("claude.bom", 0),
        ("claude.crlf", 0),
        ("claude.no-final-newline", 0),
        ("claude.torn-last-line", 0),
        ("copilot.concatenated-torn+whole", 1),
        ("copilot.raw-newline-inside-string", 1),
        ("json-array-not-object", 4),
    ],
)
def test_derived_damaged_files(shared: Path, name: str, damages: int) -> None:
    """Byte-edited copies of real files lose at most the broken row."""
    rows, damage = rows_of(shared / "data" / "transcripts" / "derived" / f"{name}.jsonl")
    assert len(damage) == damages
    assert rows or name == "json-array-not-object"
