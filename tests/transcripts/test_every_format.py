"""Laws that hold for every format: any chunking, any restart, any damage."""

import contextlib
import random
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slowwave.errors import TranscriptError
from slowwave.model import Entry, Turn, TurnStatus
from slowwave.transcripts import snapshot
from slowwave.transcripts.discover import SessionFile
from slowwave.transcripts.formats import FORMATS
from slowwave.transcripts.reader import SessionReader

from .damage import damage, lost_by_damage
from .samples import REDACTOR, SHARED, every_turn, merged, read, real_sessions

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="real transcripts are not here")
SESSIONS = real_sessions(SHARED) if SHARED.is_dir() else ()
BY_FORMAT = sorted({f.format_name for f in SESSIONS})


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_says_what_it_is(name: str) -> None:
    """Shape, fidelity and the versions it was tested with."""
    fmt = FORMATS[name]
    assert name == fmt.NAME
    assert fmt.SHAPE in {"lines", "whole", "database"}
    assert ("degraded" if name in {"aider", "cursor"} else "full") == fmt.FIDELITY
    assert all(isinstance(v, str) for v in fmt.VERSIONS)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), name=st.sampled_from(BY_FORMAT or ["none"]))
def test_any_chunking_and_any_restart_give_the_same_turns(data: st.DataObject, name: str) -> None:
    """Read in pieces, and by a second reader from where the first stopped: the turns of one reading."""
    file = data.draw(st.sampled_from([f for f in SESSIONS if f.format_name == name]))
    fmt, size = FORMATS[name], file.extent().size
    cuts = sorted(data.draw(st.lists(st.integers(0, size), max_size=8)))
    whole = every_turn(read(file.path, name))
    reader = SessionReader(file.path, fmt, REDACTOR)
    readings = [reader.read(until) for until in [*cuts, size]]
    assert merged(readings) == whole
    assert not any(r.rewritten for r in readings)
    cut = data.draw(st.integers(0, size))
    first = SessionReader(file.path, fmt, REDACTOR).read(cut)
    second = SessionReader(file.path, fmt, REDACTOR, restart=first.restart).read()
    assert not second.rewritten
    assert without_marks(merged([first, second])) == without_marks(whole)


def without_marks(turns: Iterable[Turn]) -> list[list[Entry]]:
    """What is said in the turns; a mark that a branch was abandoned is left out where its beginning was not read."""
    return [[e for e in t.entries if e.tool != "rewind"] for t in turns]


@pytest.mark.parametrize("file", SESSIONS, ids=str)
def test_reading_again_brings_nothing(file: SessionFile) -> None:
    """No turn is told twice, a snapshot holds every closed turn, and numbers are 1, 2, 3."""
    reader = SessionReader(file.path, FORMATS[file.format_name], REDACTOR)
    first, again = reader.read(), reader.read()
    assert (again.closed, again.rewritten) == ((), False)
    numbers = [t.number for t in every_turn(first)]
    assert numbers == list(range(1, len(numbers) + 1))
    taken = snapshot.take(file.path, FORMATS[file.format_name], REDACTOR, 0, 10_000)
    assert taken.turns[: len(first.complete)] == first.complete
    assert all(t.status is TurnStatus.INTERRUPTED for t in taken.turns[len(first.complete) :])  # not over yet


FILES = [f for f in SESSIONS if f.path.is_file() and f.path.stat().st_size and f.format_name != "aider"]


@pytest.mark.parametrize("seed", range(500))
def test_damage_costs_no_entry_whose_bytes_are_intact(seed: int, tmp_path: Path) -> None:
    """After any damage reading returns, and what stands on untouched rows is still there."""
    file, lost = lost_by_damage(FILES, seed, tmp_path)
    assert not lost, (file.path, seed, lost)


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_database_is_named_or_read(seed: int, shared: Path, tmp_path: Path) -> None:
    """A database with bytes changed gives what can be read, or says that it cannot: nothing else is raised."""
    rng = random.Random(seed)
    source = shared / "data" / "transcripts" / "generated" / "opencode" / "1.18.33" / "opencode.db"
    path = tmp_path / "opencode.db"
    data = source.read_bytes()
    for _ in range(rng.choice([1, 3, 20])):
        data = damage(data, rng).data
    path.write_bytes(data)
    for session in FORMATS["opencode"].discover(path):
        with contextlib.suppress(TranscriptError):
            read(session, "opencode")
