"""The indexes follow the files, and can be thrown away at any time."""

import json
import shutil
import threading

import pytest

from slowwave.recall import fast, index
from slowwave.recall.search import Question
from slowwave.store import documents
from tests.recall.conftest import NOW, Memory


def test_an_edit_is_seen_by_the_next_question(memory: Memory) -> None:
    """Written, changed, taken away: recall says what the files say now."""
    memory.write("system/a.md", "The cache lives in redis.")
    assert memory.texts("cache") == ["The cache lives in redis."]
    memory.write("system/a.md", "The cache lives in memcached now.")
    assert memory.texts("cache") == ["The cache lives in memcached now."]
    (memory.folder / "system/a.md").unlink()
    assert memory.texts("cache") == []


@pytest.mark.parametrize("damage", ["deleted", "truncated", "garbage", "older", "tables gone"])
def test_a_damaged_index_is_made_anew(memory: Memory, damage: str) -> None:
    """It holds nothing that the files do not say."""
    memory.write("system/a.md", "The cache lives in redis.")
    assert memory.texts("cache")
    memory.answers.close()
    file = memory.state / "recall.db"
    match damage:
        case "deleted":
            documents.discard_index(file)
        case "truncated":
            documents.discard_index(file)
            file.write_bytes(b"SQLite format 3\0" + bytes(50))
        case "garbage":
            documents.discard_index(file)
            file.write_bytes(b"nothing of the kind" * 500)
        case "older":
            db = documents.open_index(file)
            db.execute("INSERT INTO migrations (name) VALUES ('0099_of_another_version')")
            db.close()
        case _:
            db = documents.open_index(file)
            db.execute("DROP TABLE documents")
            db.close()
    assert memory.texts("cache") == ["The cache lives in redis."]


def test_the_fast_index_finds_what_full_text_finds(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same hits in the same order, with and without a project."""
    monkeypatch.setattr(fast, "WORTHWHILE", 10)
    subjects = ("cache", "proxy", "queue", "schema", "parser", "release", "session", "token")
    for n in range(60):
        a, b, c = subjects[n % 8], subjects[n * 3 % 7], subjects[n * 5 % 8]
        memory.write(
            f"projects/p{n % 3}/reference/n{n}.md", f"The {a} of the {b} waits for the {c} number {n}."
        )
    questions = [f"{a} {b}" for a in subjects for b in subjects]
    before = [[memory.texts(q, p) for q in questions] for p in (None, "p1")]
    assert memory.answers.warm_up()
    assert memory.answers._fast is not None
    after = [[memory.texts(q, p) for q in questions] for p in (None, "p1")]
    same = sum(x[:5] == y[:5] for b, a in zip(before, after, strict=True) for x, y in zip(b, a, strict=True))
    assert same / (2 * len(questions)) > 0.9  # the two score rare words a little differently
    assert all(
        set(x[:3]) & set(y[:3]) for b, a in zip(before, after, strict=True) for x, y in zip(b, a, strict=True)
    )


def test_what_the_fast_index_does_not_know_yet_is_found(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write is visible at once, a removal too, however old the fast index is."""
    monkeypatch.setattr(fast, "WORTHWHILE", 10)
    for n in range(20):
        memory.write(f"reference/n{n}.md", f"Note {n} about the cache.")
    memory.answers.warm_up()
    memory.write("reference/new.md", "The zebra is new in the cache.")
    assert memory.texts("zebra") == ["The zebra is new in the cache."]
    (memory.folder / "reference/n3.md").unlink()
    assert "Note 3 about the cache." not in memory.texts("note 3 cache", limit=50)
    memory.write("reference/n4.md", "Note 4 is about dogs.")
    assert "Note 4 about the cache." not in memory.texts("note 4 cache", limit=50)
    assert "Note 4 is about dogs." in memory.texts("note 4 dogs")


@pytest.mark.parametrize("damage", ["deleted", "emptied", "half", "other version"])
def test_a_damaged_fast_index_is_done_without_and_built_again(
    memory: Memory, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Full text answers meanwhile."""
    monkeypatch.setattr(fast, "WORTHWHILE", 10)
    for n in range(20):
        memory.write(f"reference/n{n}.md", f"Note {n} about the cache.")
    memory.ask("cache")
    memory.answers.warm_up()
    memory.answers.close()
    folder = memory.state / "fast"
    match damage:
        case "deleted":
            shutil.rmtree(folder)
        case "emptied":
            for file in folder.iterdir():
                file.write_bytes(b"")
        case "half":
            (folder / "meta.json").unlink()
        case _:
            (folder / "slowwave.json").write_text(json.dumps({"version": 0, "last": 1, "held": 1}))
    assert len(memory.texts("cache", limit=50)) == 20
    seen: list[tuple[int, int]] = []
    assert memory.answers.warm_up(lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1] == 40
    assert len(memory.texts("cache", limit=50)) == 20
    assert not memory.answers.warm_up()


def test_many_readers_and_a_writer(memory: Memory) -> None:
    """Ten read while one writes: no error, and the writer always finds what it wrote."""
    for n in range(30):
        memory.write(f"reference/n{n}.md", f"Note {n} about the cache.")
    memory.ask("cache")
    failures: list[BaseException] = []
    done = threading.Event()

    def read() -> None:
        answers = memory.opened()
        try:
            while not done.is_set():
                assert answers.ask(Question("cache"), NOW)
        except BaseException as error:  # noqa: BLE001 - it is counted
            failures.append(error)
        finally:
            answers.close()

    readers = [threading.Thread(target=read) for _ in range(10)]
    for reader in readers:
        reader.start()
    for n in range(25):
        memory.write(f"reference/w{n}.md", f"Written {n} wombat{n}.")
        assert memory.texts(f"wombat{n}") == [f"Written {n} wombat{n}."]
    done.set()
    for reader in readers:
        reader.join()
    assert failures == []


def test_a_file_is_cut_into_what_can_stand_alone() -> None:
    """Description, entries and paragraphs, in this order, with their heading and the evidence they came from."""
    text = (
        "---\ndescription: How we ship\nimportance: 0.9\nupdated: 2026-02-02\n---\n# Release\n\nWe ship weekly.\n\n"
        '- Tag first.\n  Evidence: codex 1a2b turn 3, user, 2026-02-02: "tag it first"\n'
    )
    found = index.cut("projects/app/reference/ship.md", text)
    assert [(d.heading, d.text, d.source) for d in found] == [
        ("", "How we ship", ""),
        ("Release", "Tag first.", "codex 1a2b turn 3"),
        ("Release", "We ship weekly.", ""),
    ]
    assert {(d.project, d.importance, d.updated_at) for d in found} == {("app", 0.9, "2026-02-02")}


def test_what_a_file_says_twice_is_one_hit() -> None:
    """A fact whose description is the fact itself stands in the answer once."""
    text = "---\ndescription: Deploys take 4 minutes.\n---\nDeploys take 4 minutes.\n"
    assert [d.text for d in index.cut("reference/a.md", text)] == ["Deploys take 4 minutes."]
