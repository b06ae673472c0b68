"""A change wakes us; where events fail, the clock does."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from slowwave.transcripts.watch import Changes, changes


@pytest.fixture
def stop() -> Iterator[threading.Event]:
    """Set at the end, so that no watcher outlives its test."""
    event = threading.Event()
    yield event
    event.set()


def later(seconds: float, path: Path) -> threading.Thread:
    """Write a file after a while, its folders too."""

    def write() -> None:
        time.sleep(seconds)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write("x\n")

    thread = threading.Thread(target=write)
    thread.start()
    return thread


def test_a_grown_file_is_seen_in_less_than_half_a_second(tmp_path: Path, stop: threading.Event) -> None:
    """Appending to a known file wakes with its path."""
    path = tmp_path / "f.jsonl"
    path.touch()
    events = changes([tmp_path], stop, tick_seconds=5)
    writer = later(0.3, path)
    begun = time.monotonic()
    seen = next(events)
    assert path in seen
    assert time.monotonic() - begun < 0.3 + 0.5
    assert events.mode == "events"
    writer.join()


def test_a_first_file_in_a_new_nested_folder_wakes_in_two_seconds(
    tmp_path: Path, stop: threading.Event
) -> None:
    """Its path, its folder, or at least a tick comes, and then the scan finds it."""
    path = tmp_path / "2026" / "12" / "01" / "rollout.jsonl"
    events = changes([tmp_path], stop, tick_seconds=0.5)
    writer = later(0.2, path)
    begun = time.monotonic()
    for _ in events:
        if path.exists():
            break
    assert time.monotonic() - begun < 2
    writer.join()


def test_a_folder_that_appears_later_is_watched(tmp_path: Path, stop: threading.Event) -> None:
    """An agent installed after us is picked up at the next tick."""
    root = tmp_path / "later"
    events = changes([root], stop, tick_seconds=0.1)
    assert next(events) == frozenset()
    root.mkdir()
    next(events)
    writer = later(0.3, root / "f.jsonl")
    begun = time.monotonic()
    assert any(root / "f.jsonl" in seen for seen in events)
    assert time.monotonic() - begun < 2
    writer.join()


class OutOfWatches(Changes):
    """A machine without watches to give."""

    def _watch(self, present: tuple[Path, ...]) -> Iterator[frozenset[Path]]:
        if present:
            raise OSError(28, "OS file watch limit reached")
        yield frozenset()


def test_without_watches_the_clock_remains(tmp_path: Path, stop: threading.Event) -> None:
    """A watch-limit error changes the mode, says why, and ticks go on."""
    events = OutOfWatches([tmp_path], stop, tick_seconds=0.05)
    assert [next(events), next(events)] == [frozenset(), frozenset()]
    assert events.mode == "ticks"
    assert "limit" in events.why


def test_stop_ends_it(tmp_path: Path, stop: threading.Event) -> None:
    """Once told to stop, no more comes."""
    events = changes([tmp_path], stop, tick_seconds=5)
    threading.Timer(0.2, stop.set).start()
    begun = time.monotonic()
    assert list(events) in ([], [frozenset()])
    assert time.monotonic() - begun < 2
