"""Export and import: all records with lineage and audit as JSON lines, memory as a git bundle.

An import adds and never overwrites: a record, file or audit line that is here already stays as it is, so importing
twice is importing once. A memory file that says something else here is kept, and named.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from slowwave.errors import UsageError
from slowwave.lifecycle import filed, landing
from slowwave.lifecycle.remember import PERSON, in_step
from slowwave.lifecycle.workbench import Workbench
from slowwave.memory import importer
from slowwave.store import audit, records
from slowwave.store.records import Record

RECORDS, AUDIT, BUNDLE, MANIFEST = "records.jsonl", "audit.jsonl", "memory.bundle", "manifest.json"
FORMAT: Final = 1
_EVENT: Final = (
    "subject",
    "at",
    "actor",
    "action",
    "reason",
    "detail",
)  # word for word, or twice were not once


@dataclass(frozen=True)
class Carried:
    """What was written out or taken in. `kept` are memory files that say something else here and stayed."""

    folder: str
    records: int
    audit: int
    files: int
    commit: str = ""
    kept: tuple[str, ...] = ()
    dry_run: bool = False

    def as_json(self) -> dict[str, Any]:
        """The answer on the wire."""
        return {"folder": self.folder, "records": self.records, "audit": self.audit, "files": self.files,
                "commit": self.commit, "kept": list(self.kept), "dry_run": self.dry_run}  # fmt: skip


# ---------------------------------------------------------------------- out
def export(bench: Workbench, folder: Path) -> Carried:
    """Write everything into a new or empty folder. Raises UsageError when there is something in it."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not empty", hint="name a folder that does not exist yet")
    in_step(bench, dry_run=False)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with bench.db.reading():
        rows = bench.db.rows("SELECT * FROM records ORDER BY id")
        all_records = [records.of_row(r, records.sources_of(bench.db, r["id"])) for r in rows]
        events = [dict(r) for r in bench.db.rows("SELECT * FROM audit ORDER BY id")]
    _write_lines(folder / RECORDS, (records.as_json(r) for r in all_records))
    _write_lines(folder / AUDIT, ({k: v for k, v in e.items() if k != "id"} for e in events))
    files = 0
    if (bench.memory / ".git").exists():
        repo = bench.open_memory(False)
        repo.bundle(folder / BUNDLE)
        files = len(importer.presentable(repo, repo.head()))
    names = [name for name in (RECORDS, AUDIT, BUNDLE) if (folder / name).exists()]
    manifest = {
        "format": FORMAT,
        "instance": bench.instance_id,
        "digests": {n: _digest(folder / n) for n in names},
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")
    return Carried(str(folder), len(all_records), len(events), files)


def _write_lines(path: Path, values: Iterable[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for value in values:
            file.write(json.dumps(value, ensure_ascii=False, sort_keys=True) + "\n")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# ---------------------------------------------------------------------- in
def import_(bench: Workbench, folder: Path, *, dry_run: bool = False) -> Carried:
    """Take in what `export` wrote. Raises UsageError when it is not whole; nothing is taken in then."""
    _require_whole(folder)
    in_step(bench, dry_run=dry_run)
    try:
        given = [records.from_json(json.loads(line)) for line in _lines(folder / RECORDS)]
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{folder / RECORDS}: not records: {error}") from None
    known = {r["id"] for r in bench.db.rows("SELECT id FROM records UNION SELECT id FROM tombstones")}
    new = [r for r in given if r.id not in known]
    events = [e for e in map(json.loads, _lines(folder / AUDIT)) if not _has_event(bench, e)]
    files, kept = _memory_files(bench, folder / BUNDLE)
    if dry_run:
        return Carried(str(folder), len(new), len(events), len(files), kept=kept, dry_run=True)
    commit = ""
    if files:
        act = bench.new_id("a")
        text = landing.message(f"Import {len(files)} memory files", act, bench.instance_id)
        commit = landing.land(bench.open_memory(True), act, files, text)
    with bench.db.transaction():
        for event in events:
            names = ", ".join(_EVENT)
            values = [event[n] for n in _EVENT]
            bench.db.execute(f"INSERT INTO audit ({names}) VALUES (?, ?, ?, ?, ?, ?)", values)
        for record in new:
            records.insert(bench.db, _at_home(bench, record))
        if new or events or files:
            detail = {"records": len(new), "files": len(files), "commit": commit}
            audit.record(bench.db, filed.iso(bench.micros()), PERSON, "import", "records", "", detail)
    in_step(bench, dry_run=False)
    return Carried(str(folder), len(new), len(events), len(files), commit, kept)


def _at_home(bench: Workbench, record: Record) -> Record:
    """An active durable record whose file is not here, because another's stayed, is one that is archived here."""
    if record.file and record.status != records.ARCHIVED and not (bench.memory / record.file).is_file():
        return replace(record, status=records.ARCHIVED)
    return record


def _require_whole(folder: Path) -> None:
    try:
        manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
        digests, number = dict(manifest["digests"]), manifest["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{folder} is no export: {error}", hint="name a folder that `slowwave export` wrote"
        ) from None
    if number != FORMAT:
        raise UsageError(
            f"{folder}: written in format {number}, this program reads {FORMAT}", hint="upgrade slowwave"
        )
    wrong = [
        name
        for name, is_ in digests.items()
        if not (folder / name).is_file() or _digest(folder / name) != is_
    ]
    if wrong or not {RECORDS, AUDIT} <= digests.keys():
        raise UsageError(f"{folder}: damaged: {', '.join(wrong) or MANIFEST}", hint="export it again")


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text("utf-8").split("\n") if line]


def _has_event(bench: Workbench, event: Mapping[str, Any]) -> bool:
    same = " AND ".join(f"{name} = ?" for name in _EVENT)
    found = bench.db.row(f"SELECT 1 FROM audit WHERE {same}", [event[name] for name in _EVENT])
    return found is not None


def _memory_files(bench: Workbench, bundle: Path) -> tuple[dict[str, str | None], tuple[str, ...]]:
    """The memory files of a bundle that are not here, and those that say something else here."""
    if not bundle.exists():
        return {}, ()
    repo = bench.open_memory(True)
    theirs = importer.presentable(repo, repo.unbundle(bundle))
    ours = importer.presentable(repo, repo.head())
    new: dict[str, str | None] = {
        p: d.decode() for p, d in theirs.items() if p not in ours and p.endswith(".md")
    }
    return new, tuple(sorted(p for p, data in theirs.items() if p in ours and ours[p] != data))
