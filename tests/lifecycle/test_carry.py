"""Export and import: nothing is lost on the way, twice is once, and what is here stays."""

from pathlib import Path

import pytest

from slowwave.errors import UsageError
from slowwave.lifecycle import carry, forget
from slowwave.lifecycle.maintenance import reflect
from slowwave.lifecycle.remember import remember
from slowwave.verbs import ReflectRequest, RememberRequest

from .bench import World, days, world


def _rows(w: World) -> list[dict[str, object]]:
    return [
        {k: r[k] for k in r.keys() if k not in {"n", "revision", "anchor_at"}}  # noqa: SIM118 - a row is no mapping
        for r in w.db.rows("SELECT * FROM records ORDER BY id")
    ]


def _fill(w: World) -> None:
    for n in range(3):
        w.add(id=f"e{n}")
    remember(w.bench, RememberRequest("the port is 8080", semantic_key="port"))
    reflect(w.bench, ReflectRequest())
    gone = remember(w.bench, RememberRequest("forget me"))
    forget.soft(w.bench, gone.record.id)


def test_everything_arrives_and_twice_is_once(tmp_path: Path) -> None:
    """Records, lineage, audit and memory files are the same on the other side; a second import changes nothing."""
    out = tmp_path / "out"
    with world(tmp_path / "one") as w:
        _fill(w)
        told = carry.export(w.bench, out)
        rows, files = _rows(w), {p.name: p.read_bytes() for p in w.bench.memory.rglob("*.md")}
        lineage = list(w.db.each("SELECT * FROM lineage ORDER BY 1, 2"))
        events = list(w.db.each("SELECT at, actor, action, subject, reason, detail FROM audit ORDER BY id"))
    with world(tmp_path / "two") as w:
        w.clock.at += days(1)
        assert carry.import_(w.bench, out, dry_run=True).records == told.records
        assert w.db.value("SELECT count(*) FROM records") == 0
        taken = carry.import_(w.bench, out)
        assert (taken.records, taken.audit, taken.files, taken.kept) == (
            told.records,
            told.audit,
            len(files),
            (),
        )
        assert _rows(w) == rows
        assert {p.name: p.read_bytes() for p in w.bench.memory.rglob("*.md")} == files
        assert list(w.db.each("SELECT * FROM lineage ORDER BY 1, 2")) == lineage
        arrived = list(w.db.each("SELECT at, actor, action, subject, reason, detail FROM audit ORDER BY id"))
        assert arrived[: len(events)] == events
        before = w.dump()
        again = carry.import_(w.bench, out)
        assert (again.records, again.audit, again.files, again.commit) == (0, 0, 0, "")
        assert {k: v for k, v in w.dump().items() if k != "files"} == {
            k: v for k, v in before.items() if k != "files"
        }


def test_what_is_here_stays(tmp_path: Path) -> None:
    """A file that says something else here is kept and named, and a record deleted for good does not come back."""
    out = tmp_path / "out"
    with world(tmp_path / "one") as w:
        _fill(w)
        carry.export(w.bench, out)
        path = next(w.bench.memory.rglob("*8080*.md"))
        forget.hard(w.bench, "e0")
        path.write_text(path.read_text("utf-8").replace("8080", "9090"), "utf-8")
        done = carry.import_(w.bench, out)
        assert done.records == 0
        assert "9090" in path.read_text("utf-8")


def test_a_damaged_export_is_refused(tmp_path: Path) -> None:
    """An export whose files are not what they were is refused whole, and so is a folder that is none."""
    out = tmp_path / "out"
    with world(tmp_path / "one") as w:
        _fill(w)
        carry.export(w.bench, out)
        with pytest.raises(UsageError, match="not empty"):
            carry.export(w.bench, out)
        (out / "records.jsonl").write_text("{}\n", "utf-8")
        with pytest.raises(UsageError, match=r"damaged: records\.jsonl"):
            carry.import_(w.bench, out)
        with pytest.raises(UsageError, match="is no export"):
            carry.import_(w.bench, tmp_path)
