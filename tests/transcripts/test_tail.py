"""Whole lines, any chunking, and the four states of a file."""

import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.errors import TranscriptError
from slowwave.transcripts import tail
from slowwave.transcripts.tail import (
    FileMark,
    Grown,
    Line,
    Rewritten,
    Same,
    Vanished,
    check,
    mark,
    read_lines,
)


@given(
    lines=st.lists(st.binary(max_size=40).map(lambda b: b.replace(b"\n", b"\r")), max_size=12),
    rest=st.binary(max_size=10).map(lambda b: b.replace(b"\n", b"")),
    chunk=st.integers(1, 50),
)
def test_any_chunk_size_gives_the_same_lines(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], rest: bytes, chunk: int
) -> None:
    """Lines are what stands between newline bytes, however the reads fall; the unfinished rest is not one."""
    path = tmp_path_factory.mktemp("t") / "f"
    path.write_bytes(b"".join(x + b"\n" for x in lines) + rest)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tail, "CHUNK", chunk)
        got = list(read_lines(path))
        partial = list(read_lines(path, keep_partial=True))[len(got) :]
    assert [x.data for x in got] == lines
    assert [x.offset for x in got] == [sum(len(y) + 1 for y in lines[:n]) for n in range(len(lines))]
    assert [x.data for x in partial] == ([rest] if rest else [])


def test_unicode_line_separators_and_carriage_returns_end_no_line(tmp_path: Path) -> None:
    """U+2028, U+0085 and CR are content."""
    path = tmp_path / "f"
    path.write_bytes("a\u2028b\u0085c\rd\r\n".encode())
    assert [x.data for x in read_lines(path)] == ["a\u2028b\u0085c\rd\r".encode()]


def test_a_line_over_the_limit_is_passed_over_and_named(tmp_path: Path) -> None:
    """The too long line leaves a placeholder of its length; its neighbours are whole."""
    path = tmp_path / "f"
    path.write_bytes(b"one\n" + b"x" * 3_000_000 + b"\ntwo\n")
    first, long, last = read_lines(path, max_line=1000)
    assert (first.data, last.data) == (b"one", b"two")
    assert (long.data, long.offset, long.length) == (None, 4, 3_000_001)
    assert "3000001 bytes" in long.reason


@pytest.mark.parametrize("chunk", [1 << 20, 777_777])
def test_a_huge_image_in_a_line_is_kept_as_its_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    """However the reads fall, a row of 64 MiB stays a row, small in memory; another image is another row."""
    path = tmp_path / "f"
    rows = []
    for image in (b"QUJD" * (16 << 20), b"QUJD" * (16 << 20) + b"x"):
        path.write_bytes(b'{"before":1}\n{"a":"' + image + b'","b":"after"}\n{"c":2}\n')
        with monkeypatch.context() as patch:
            patch.setattr(tail, "CHUNK", chunk)
            _, long, last = read_lines(path)
        assert long.data is not None
        assert long.length > 64 << 20
        assert len(long.data) < 10 << 20
        assert last.data == b'{"c":2}'
        row = json.loads(long.data)
        assert row["b"] == "after"
        rows.append(row["a"])
    assert rows[0] != rows[1]


def test_long_numbers_and_text_in_a_line_stay_as_they_are(tmp_path: Path) -> None:
    """Only base64 is shortened: a list of numbers is no string, and words are words."""
    path = tmp_path / "f"
    value = {"n": [1234567] * 1_100_000, "t": "some words, and more\n" * 500_000}
    path.write_text(json.dumps(value) + "\n")
    (line,) = read_lines(path)
    assert line.data is not None
    assert json.loads(line.data) == value


def test_reading_stops_at_until(tmp_path: Path) -> None:
    """Only lines that end at or before `until` come, and reading can go on there."""
    path = tmp_path / "f"
    path.write_bytes(b"a\nbb\nccc\n")
    assert [x.data for x in read_lines(path, until=6)] == [b"a", b"bb"]
    assert list(read_lines(path, offset=5)) == [Line(5, 4, b"ccc")]


def test_an_untouched_file_is_the_same(tmp_path: Path) -> None:
    """Nothing happened: Same; and a mark survives JSON."""
    path = tmp_path / "f"
    path.write_bytes(b"a\nb\n")
    known = FileMark(**json.loads(json.dumps(asdict(mark(path, 4, 2)))))
    assert check(path, known) == Same()


def test_an_appended_file_has_grown(tmp_path: Path) -> None:
    """New bytes behind what was read: Grown."""
    path = tmp_path / "f"
    path.write_bytes(b"a\nb\n")
    known = mark(path, 4, 2)
    with path.open("ab") as file:
        file.write(b"c\n")
    assert check(path, known) == Grown(6)


def test_an_atomic_replacement_with_the_same_beginning_has_grown(tmp_path: Path) -> None:
    """A new inode is no rewrite when the bytes that were read still stand."""
    path, other = tmp_path / "f", tmp_path / "g"
    path.write_bytes(b"a\nb\n")
    known = mark(path, 4, 2)
    other.write_bytes(b"a\nb\nc\n")
    other.replace(path)
    assert path.stat().st_ino != known.inode
    assert check(path, known) == Grown(6)


@pytest.mark.parametrize(
    "content",
    [b"a\n", b"x\nb\nc\n", b"a\nB\nc\n", b""],
    ids=["truncated", "other head", "other last line", "emptied"],
)
def test_a_changed_past_is_a_rewrite(tmp_path: Path, content: bytes) -> None:
    """Shrinking, another beginning or another last line: Rewritten, with the reason."""
    path = tmp_path / "f"
    path.write_bytes(b"a\nb\n")
    known = mark(path, 4, 2)
    path.write_bytes(content)
    state = check(path, known)
    assert isinstance(state, Rewritten)
    assert state.reason


def test_a_deleted_file_has_vanished(tmp_path: Path) -> None:
    """Absence is a state, not an error."""
    path = tmp_path / "f"
    path.write_bytes(b"a\n")
    known = mark(path, 2, 0)
    path.unlink()
    assert check(path, known) == Vanished()


def test_what_cannot_be_read_is_an_error_that_names_it(tmp_path: Path) -> None:
    """A folder, a symbolic link and a pipe are TranscriptErrors, and the pipe does not block."""
    target = tmp_path / "target"
    target.write_bytes(b"secret\n")
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(target)
    os.mkfifo(pipe)
    for path in (tmp_path, link, pipe):
        with pytest.raises(TranscriptError, match=str(path)):
            list(read_lines(path))


def test_reading_many_lines_keeps_none_of_them(tmp_path: Path) -> None:
    """Lines come one at a time: the first is there before the last was read."""
    path = tmp_path / "f"
    path.write_bytes(b"x" * 100 + b"\n" + b"y" * 5_000_000 + b"\n")
    lines = read_lines(path)
    assert next(lines).length == 101
    assert next(lines).length == 5_000_001
