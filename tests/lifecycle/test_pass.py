"""A pass over a real store and a real memory repository."""

import json
from pathlib import Path

import pytest

from slowwave.errors import StoreError, UsageError
from slowwave.lifecycle import explain, filed, forget, remember
from slowwave.lifecycle.maintenance import reflect
from slowwave.memory import shape
from slowwave.model import MemoryType
from slowwave.store import records, touches, versions
from slowwave.verbs import ReflectRequest, RememberRequest

from .bench import NOW, days, world


def test_three_equal_episodes_become_one_fact(tmp_path: Path) -> None:
    """The fact is a memory file with its lineage; its episodes are superseded by it, and nothing is deleted."""
    with world(tmp_path) as w:
        for n in range(3):
            w.add(
                id=f"e{n}",
                content=["Run make check.", "run  MAKE check", "Run make check."][n],
                scope="harbor",
            )
        report = reflect(w.bench, ReflectRequest(("promote",)))
        (fact,) = report.plan.made
        kept = w.get(fact.record.id)
        assert kept.sources == ("e0", "e1", "e2")
        assert (kept.content, kept.type, kept.scope) == ("Run make check.", MemoryType.SEMANTIC, "harbor")
        text = (w.bench.memory / kept.file).read_text("utf-8")
        assert kept.file.startswith("projects/harbor/reference/")
        assert "Run make check." in text
        assert {w.get(f"e{n}").status for n in range(3)} == {"superseded"}
        assert {w.get(f"e{n}").superseded_by for n in range(3)} == {kept.id}
        assert [v.before.status for v in versions.of(w.db, "e0")] == ["active"]
        repo = shape.open_(w.bench.memory)
        assert repo.log(1)[0].trailers["Pass-Id"] == (report.pass_id,)
        # Three more of the same bring the same fact up to date, never a second one.
        for n in range(3, 6):
            w.add(id=f"e{n}", content="run make check", scope="harbor")
        (again,) = reflect(w.bench, ReflectRequest(("promote",))).plan.made
        assert again.known
        assert w.get(kept.id).sources == tuple(f"e{n}" for n in range(6))
        assert w.db.value("SELECT count(*) FROM records WHERE type = 'semantic'") == 1


def test_episodes_of_different_places_are_not_one(tmp_path: Path) -> None:
    """Another project's, owner's or path's episodes do not count as repetitions."""
    with world(tmp_path) as w:
        for n, where in enumerate(({"scope": "a"}, {"scope": "b"}, {"owner": "c"}, {"path": "d"}, {})):
            w.add(id=f"e{n}", **where)
        assert reflect(w.bench, ReflectRequest(("promote",))).plan.counts()["promote"] == 0


def test_summaries_name_their_episodes_and_are_made_once(tmp_path: Path) -> None:
    """A summary per session under reflections/episodic, every line with its source; a repeated pass adds none."""
    with world(tmp_path) as w:
        for n in range(4):
            w.add(id=f"e{n}", content=f"Asked: thing {n}", session="ab"[n % 2], at=NOW - n)
        made = reflect(w.bench, ReflectRequest(("summarize",))).plan.made
        assert {m.record.path for m in made} == {"reflections/episodic"}
        assert {m.record.sources for m in made} == {("e0", "e2"), ("e1", "e3")}
        for m in made:
            assert all(f"[{source}]" in m.record.content for source in m.record.sources)
            assert (m.record.occurred_from, m.record.occurred_at) == (
                min(w.get(s).occurred_at for s in m.record.sources),
                max(w.get(s).occurred_at for s in m.record.sources),
            )
            assert "/reflections/episodic/" in f"/{m.record.file}"
        w.clock.at += days(0.1)
        assert reflect(w.bench, ReflectRequest(("summarize",))).plan.counts()["summarize"] == 0


def test_an_expired_memory_file_leaves_and_comes_back(tmp_path: Path) -> None:
    """Archiving takes the file away by a commit and keeps its text; restore brings back every byte of it."""
    with world(tmp_path) as w:
        done = remember.remember(w.bench, RememberRequest("the port is 8080", expires_at=NOW + days(1)))
        path = w.bench.memory / done.record.file
        written = path.read_text("utf-8").replace("---\n\n", "mine: kept  # a person's\n---\n\n", 1)
        path.write_text(written, "utf-8")
        repo = shape.open_(w.bench.memory)
        # An uncommitted edit: the file is left alone, and the pass says so.
        w.clock.at = NOW + days(1)
        report = reflect(w.bench, ReflectRequest())
        assert report.left_alone == (done.record.file,)
        assert path.read_text("utf-8") == written
        assert w.get(done.record.id).status == "active"
        path.write_text(repo.read(repo.head(), done.record.file).decode(), "utf-8")
        report = reflect(w.bench, ReflectRequest())
        assert [c.action for c in report.plan.changes] == ["expire", "archive"]
        assert not path.exists()
        assert w.get(done.record.id).status == "archived"
        assert versions.archived(w.db, done.record.id) is not None
        back = remember.restore(w.bench, done.record.id)
        assert back.record.status == "active"
        assert "the port is 8080" in path.read_text("utf-8")
        assert reflect(w.bench, ReflectRequest()).plan.counts()["archive"] == 0


def test_a_durable_record_is_updated_by_its_key_and_episodes_accumulate(tmp_path: Path) -> None:
    """The same semantic key is one file and one row; equal episodes stay several."""
    with world(tmp_path) as w:
        first = remember.remember(w.bench, RememberRequest("port 1", semantic_key="port", importance=0.9))
        second = remember.remember(w.bench, RememberRequest("port 2", semantic_key="port", path="elsewhere"))
        assert second.record.id == first.record.id
        assert (second.record.content, second.record.importance) == ("port 2", 0.9)
        assert [v.before.content for v in versions.of(w.db, first.record.id)] == ["port 1"]
        for _ in range(2):
            remember.remember(w.bench, RememberRequest("it", MemoryType.EPISODIC, semantic_key="port"))
        assert w.db.value("SELECT count(*) FROM records WHERE type = 'episodic'") == 2
        assert w.db.value("SELECT count(*) FROM records WHERE type = 'semantic'") == 1


def test_rows_of_memory_files_can_be_made_anew(tmp_path: Path) -> None:
    """Losing the store loses no durable memory: every row comes back from its file, with id, keys and lineage."""
    with world(tmp_path) as w:
        for n in range(3):
            w.add(id=f"e{n}")
        reflect(w.bench, ReflectRequest(("promote",)))
        remember.remember(
            w.bench,
            RememberRequest(
                "be brief", MemoryType.IDENTITY, semantic_key="tone", metadata={"a": "b"}, confidence=0.9
            ),
        )
        durable = "SELECT id FROM records WHERE file <> '' ORDER BY id"
        before = [w.get(r["id"]) for r in w.db.rows(durable)]
        (tmp_path / "other").mkdir()
        (tmp_path / "memory").rename(tmp_path / "other" / "memory")
        with world(tmp_path / "other") as anew:
            remember.in_step(anew.bench, dry_run=False)
            after = [anew.get(r["id"]) for r in anew.db.rows(durable)]
        same = ("id", "type", "content", "file", "semantic_key", "sources", "importance", "confidence",
                "metadata", "created_at", "updated_at", "occurred_at", "scope", "path", "instance")  # fmt: skip
        assert [[getattr(r, name) for name in same] for r in after] == [
            [getattr(r, name) for name in same] for r in before
        ]
        assert len(before) == 2


def test_a_persons_files_and_edits_become_rows(tmp_path: Path) -> None:
    """A file written by hand is a record; an edit makes a version; a deletion archives, and a return restores."""
    with world(tmp_path) as w:
        shape.create(w.bench.memory)
        path = w.bench.memory / "reference" / "own.md"
        path.parent.mkdir(parents=True)
        path.write_text("---\ndescription: mine\nimportance: 0.8\n---\nfirst words\n", "utf-8")
        remember.in_step(w.bench, dry_run=False)
        one = records.find(w.db, "reference/own.md")
        assert (one.content, one.importance, one.id) == ("first words", 0.8, filed.id_of("reference/own.md"))
        path.write_text("---\ndescription: mine\nimportance: 0.8\n---\nother, longer words\n", "utf-8")
        remember.in_step(w.bench, dry_run=False)
        assert [v.before.content for v in versions.of(w.db, one.id)] == ["first words"]
        path.rename(tmp_path / "aside")
        remember.in_step(w.bench, dry_run=False)
        assert w.get(one.id).status == "archived"
        (tmp_path / "aside").rename(path)
        remember.in_step(w.bench, dry_run=False)
        assert w.get(one.id).status == "active"


def test_forgetting_softly_can_be_taken_back(tmp_path: Path) -> None:
    """A forgotten record is not recalled, its file is gone, and restore brings both back."""
    with world(tmp_path) as w:
        done = remember.remember(w.bench, RememberRequest("the port is 8080"))
        forget.soft(w.bench, done.record.id)
        assert not (w.bench.memory / done.record.file).exists()
        assert list(records.recallable(w.db, now=NOW)) == []
        remember.restore(w.bench, done.record.id)
        (found,) = records.recallable(w.db, now=NOW)
        assert (found.id, found.path, found.text) == (done.record.id, done.record.file, "the port is 8080")


def test_forgetting_for_good_is_proved(tmp_path: Path) -> None:
    """Nothing is left in rows, versions, archive, files and the bytes of the store; git's commits are named."""
    with world(tmp_path) as w:
        words = "the vault opens with marzipan"
        done = remember.remember(w.bench, RememberRequest(words, semantic_key="vault"))
        remember.remember(w.bench, RememberRequest(f"{words} twice", semantic_key="vault"))
        remember.remember(w.bench, RememberRequest(words, semantic_key="vault"))
        proof = forget.hard(w.bench, done.record.id)
        assert proof.holds, proof
        assert len(proof.history) == 3  # a commit of memory for each time it was remembered
        for path in tmp_path.glob("slowwave.db*"):
            assert b"marzipan" not in path.read_bytes()
        assert all(b"marzipan" not in p.read_bytes() for p in w.bench.memory.rglob("*.md"))
        # An episode that a fact was made of: its lineage still resolves.
        for n in range(3):
            w.add(id=f"e{n}", content=f"thing {n}", promotion_key="k")
        (made,) = reflect(w.bench, ReflectRequest(("promote",))).plan.made
        assert forget.hard(w.bench, "e0").holds
        sources = explain.explain(w.bench, made.record.id)["provenance"]["sources"]
        assert {s["id"]: s["state"] for s in sources} == {
            "e0": "deleted for good",
            "e1": "superseded",
            "e2": "superseded",
        }


def test_redaction_takes_the_words_out_everywhere(tmp_path: Path) -> None:
    """The record stays itself; its words are gone from row, versions, archive, file and file name."""
    with world(tmp_path) as w:
        done = remember.remember(w.bench, RememberRequest("marzipan opens it", semantic_key="vault"))
        remember.remember(w.bench, RememberRequest("marzipan opens it now", semantic_key="vault"))
        redacted = forget.redact(w.bench, done.record.id)
        assert redacted.record.id == done.record.id
        for path in tmp_path.glob("slowwave.db*"):
            assert b"marzipan" not in path.read_bytes()
        names = [str(p.relative_to(w.bench.memory)) for p in w.bench.memory.rglob("*.md")]
        assert names == [redacted.record.file]
        assert "marzipan" not in names[0] + (w.bench.memory / names[0]).read_text("utf-8")


def test_pinned_records_stay(tmp_path: Path) -> None:
    """No action touches a pinned record; let go, its idle time counts from then."""
    with world(tmp_path) as w:
        w.add(id="old", at=NOW - days(500))
        remember.pin(w.bench, "old")
        w.clock.at += days(500)
        assert reflect(w.bench, ReflectRequest()).plan.changes == ()
        remember.pin(w.bench, "old", pinned=False)
        assert reflect(w.bench, ReflectRequest()).plan.changes == ()


def test_use_is_noted_beside_the_store_and_folded_in(tmp_path: Path) -> None:
    """Recall leaves a line in a file; the next pass folds it in, and the record is preserved by it."""
    with world(tmp_path) as w:
        w.add(id="old", at=NOW - days(100))
        touches.note(w.bench.touches, ["old"], NOW - days(1))
        touches.note(w.bench.touches, ["old", "unknown"], NOW - days(2))
        assert reflect(w.bench, ReflectRequest(dry_run=True)).plan.changes == ()
        assert w.get("old").last_accessed_at is None
        assert reflect(w.bench, ReflectRequest()).plan.changes == ()
        assert w.get("old").last_accessed_at == NOW - days(1)
        assert touches.read(w.bench.touches) == {}


def test_the_filters_narrow_a_pass(tmp_path: Path) -> None:
    """Scope, bucket, team, owner and path each leave other records alone."""
    with world(tmp_path) as w:
        for name in ("scope", "bucket", "team", "owner", "path"):
            w.add(id=name, at=NOW - days(40), **{name: "x/y"})
        for name in ("scope", "bucket", "team"):
            request = ReflectRequest(dry_run=True, **{name: "x/y"})  # type: ignore[arg-type]
            assert {c.record for c in reflect(w.bench, request).plan.changes} == {name}
        for request in (
            ReflectRequest(dry_run=True, owner_filter="x/y"),
            ReflectRequest(dry_run=True, path_filter="x/*"),
        ):
            (name,) = {c.record for c in reflect(w.bench, request).plan.changes}
            assert name in {"owner", "path"}


def test_the_store_itself_refuses_other_arrows(tmp_path: Path) -> None:
    """A status change that is not among the arrows is refused, whoever writes."""
    with world(tmp_path) as w:
        w.add(id="e", status="superseded")
        for status in ("active", "expired"):
            with pytest.raises(StoreError, match="cannot move"), w.db.transaction():
                w.db.execute("UPDATE records SET status = ? WHERE id = 'e'", (status,))


def test_explain_says_why_not(tmp_path: Path) -> None:
    """An episode that was not promoted says what it lacks, and when it fades and leaves."""
    with world(tmp_path) as w:
        w.add(id="e0", confidence=0.5)
        w.add(id="e1", confidence=0.5)
        found = explain.explain(w.bench, "e0")
        assert found["promotion"]["why"] == "2 of 3 occurrences; average confidence 0.500 below 0.6"
        assert found["ageing"]["decays"]["at"] == filed.iso(NOW + days(14))
        assert found["ageing"]["archived"]["at"] == filed.iso(NOW + days(30))
        json.dumps(found)


def test_an_unknown_action_is_refused(tmp_path: Path) -> None:
    """A pass of something there is not is an error that lists what there is."""
    with world(tmp_path) as w, pytest.raises(UsageError, match="there is no action dream"):
        reflect(w.bench, ReflectRequest(("dream",)))


def test_a_pass_cut_short_after_landing_is_completed_whatever_came_between(tmp_path: Path) -> None:
    """Its commit landed, its rows did not follow, and another act brought rows in step: the next pass completes it."""

    def cut(step: str) -> None:
        if step == "apply" and armed:
            armed.clear()
            raise KeyboardInterrupt

    armed = [True]
    with world(tmp_path, on_step=cut) as w:
        done = remember.remember(w.bench, RememberRequest("over soon", expires_at=NOW + 1))
        w.add(id="fades", at=NOW - days(20))
        w.clock.at += 1
        with pytest.raises(KeyboardInterrupt):
            reflect(w.bench, ReflectRequest())
        assert not (w.bench.memory / done.record.file).exists()
        remember.in_step(w.bench, dry_run=False)
        assert w.get(done.record.id).status == "archived"
        assert w.get("fades").importance == 0.5
        report = reflect(w.bench, ReflectRequest())
        assert list(report.recovered.values()) == ["completed after it was cut short"]
        assert w.get("fades").importance == 0.4
        assert w.get(done.record.id).status == "archived"
        assert sum(report.plan.counts().values()) == 0


def test_a_row_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    """What somebody changed between plan and apply is not overwritten, and the pass says how many."""

    def change(step: str) -> None:
        if step == "apply":
            remember.pin(w.bench, "one")

    with world(tmp_path, on_step=change) as w:
        w.add(id="one", at=NOW - days(20))
        w.add(id="two", at=NOW - days(20))
        report = reflect(w.bench, ReflectRequest())
        assert report.overtaken == 1
        assert (w.get("one").importance, w.get("two").importance) == (0.5, 0.4)
