"""One question over both stores: memory files and the records that live in the store alone."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from slowwave.model import MemoryType
from slowwave.recall.answers import Answers
from slowwave.store import records
from slowwave.store.database import Database
from slowwave.store.records import Record
from tests.recall.conftest import NOW, Memory

AT = round(NOW.timestamp() * 1e6)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Database]:
    """An empty store."""
    with Database(tmp_path / "slowwave.db") as db:
        yield db


@pytest.fixture
def both(memory: Memory, store: Database) -> Memory:
    """A memory that is asked together with the store."""
    memory.answers = Answers(memory.folder, memory.state, lambda text: text, store=store)
    return memory


def episode(number: int, content: str, **values: object) -> Record:
    """An episode of a turn."""
    base = Record(
        f"e-codex-s-{number}", MemoryType.EPISODIC, content, AT, AT, AT, AT, session="s", scope="harbor"
    )
    return replace(base, **values)  # type: ignore[arg-type]


def put(store: Database, *new: Record) -> None:
    """Add records."""
    with store.transaction():
        for one in new:
            records.insert(store, one)


def test_files_and_records_answer_together(both: Memory, store: Database) -> None:
    """A fact in a file and an episode are hits of one question; a write is seen by the next one."""
    both.write("projects/harbor/system/a.md", "The crane is painted yellow.")
    put(store, episode(1, "Asked: paint the crane\nDone: painted it yellow"))
    assert {h.type for h in both.ask("crane yellow", "harbor")} == {MemoryType.SEMANTIC, MemoryType.EPISODIC}
    put(store, episode(2, "Asked: grease the crane"))
    assert "e-codex-s-2" in [h.id for h in both.ask("grease crane", "harbor")]


def test_another_projects_episodes_are_never_recalled(both: Memory, store: Database) -> None:
    """Scopes are separate; what holds everywhere is found from everywhere."""
    put(
        store,
        episode(1, "the crane"),
        episode(2, "the crane", scope="harbour"),
        episode(3, "the crane", scope=""),
    )
    assert {h.id for h in both.ask("crane", "harbor")} == {"e-codex-s-1", "e-codex-s-3"}
    assert {h.id for h in both.ask("crane", "")} == {"e-codex-s-3"}


@pytest.mark.parametrize("status", [records.ARCHIVED, records.SUPERSEDED, records.EXPIRED])
def test_what_is_over_is_not_recalled_unless_asked_for(both: Memory, store: Database, status: str) -> None:
    """A record that changes its status leaves the answers at once."""
    put(store, episode(1, "the crane"))
    assert both.ask("crane", "harbor")
    with store.transaction():
        records.save(store, replace(episode(1, "the crane"), status=status))
    assert both.ask("crane", "harbor") == []
    assert [h.hidden for h in both.ask("crane", "harbor", hidden=True)] == [status]


def test_what_is_deleted_or_rewritten_is_gone(both: Memory, store: Database) -> None:
    """The index holds no word that the store does not."""
    put(store, episode(1, "the crane"), episode(2, "the zebra"))
    assert both.ask("crane", "harbor")
    with store.transaction():
        store.execute("DELETE FROM records WHERE id = 'e-codex-s-1'")
        records.save(store, replace(episode(2, "the zebra"), content="the quagga"))
    assert both.ask("crane", "harbor") == []
    assert both.ask("zebra", "harbor") == []
    assert both.texts("quagga", "harbor") == ["the quagga"]


def test_an_expiry_hides_at_its_moment(store: Database) -> None:
    """Before any pass has said so."""
    put(store, episode(1, "the crane", expires_at=AT), episode(2, "the crane", expires_at=AT + 1))
    assert records.rows_over(store, AT) == {"e-codex-s-1"}
    assert records.rows_over(store, AT - 1) == frozenset()


def test_a_record_with_a_file_is_found_by_its_file_only(both: Memory, store: Database) -> None:
    """Its words are not in the answer twice."""
    both.write("projects/harbor/reference/a.md", "The crane is yellow.")
    fact = episode(1, "The crane is yellow.", type=MemoryType.SEMANTIC, file="projects/harbor/reference/a.md")
    put(store, fact)
    assert both.texts("crane yellow", "harbor") == ["The crane is yellow."]
