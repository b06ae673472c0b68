"""A maintenance pass: read, plan, stage, publish, apply. A dry run is its first half, and writes one audit event.

A kill at any moment leaves a pass whole or not at all. Rows alone change in one transaction. With memory files the
pass is staged first; then one commit lands; then the rows follow. The next pass (and the daemon's start) looks at
the branch: a pass whose commit landed is completed, one whose commit did not is dropped, and the audit says which.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from slowwave.errors import UsageError
from slowwave.lifecycle import filed, landing, summarize
from slowwave.lifecycle import plan as plans
from slowwave.lifecycle.plan import Inputs, Plan
from slowwave.lifecycle.policy import HOUR
from slowwave.lifecycle.remember import in_step
from slowwave.lifecycle.standing import COLUMNS, Standing
from slowwave.lifecycle.workbench import Workbench
from slowwave.memory import publish
from slowwave.store import audit, leases, passes, records, touches
from slowwave.store.database import Database
from slowwave.store.records import ARCHIVED, Record
from slowwave.verbs import REFLECT_ACTIONS as ACTIONS
from slowwave.verbs import ReflectRequest


@dataclass(frozen=True)
class ReflectReport:
    """What a pass has done, or would do. `recovered` names passes that a kill had cut short, and how they ended."""

    dry_run: bool
    plan: Plan
    audit_ids: tuple[int, ...]
    pass_id: str = ""
    commit: str = ""
    overtaken: int = 0
    left_alone: tuple[str, ...] = ()
    recovered: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The answer on the wire."""
        return {
            "dry_run": self.dry_run, **self.plan.as_json(), "audit_ids": list(self.audit_ids),
            "pass": self.pass_id, "commit": self.commit, "overtaken": self.overtaken,
            "left_alone": list(self.left_alone), "recovered": dict(self.recovered),
        }  # fmt: skip


def reflect(bench: Workbench, request: ReflectRequest) -> ReflectReport:
    """Run a pass, or plan one. Raises UsageError, BusyError when a dream or another pass is at it, and
    RefusedError when memory files cannot be changed now (nothing is changed then).
    """
    if unknown := [a for a in request.actions if a not in ACTIONS]:
        raise UsageError(f"there is no action {', '.join(unknown)}; there are: {', '.join(ACTIONS)}")
    if request.dry_run:
        return _dry_run(bench, request)
    pass_id = bench.new_id("p")
    with leases.held(bench.db, pass_id, f"maintenance {pass_id}", bench.clock):
        return _pass(bench, request, pass_id)


def _pass(bench: Workbench, request: ReflectRequest, pass_id: str) -> ReflectReport:
    db, now = bench.db, bench.micros()
    # 1. what a kill has left, and what use and people have changed since
    bench.on_step("recover")
    recovered = recover(bench)
    in_step(bench, dry_run=False)
    # 2. the plan
    bench.on_step("plan")
    with db.reading():
        planned, left_alone = make_plan(bench, request, now)
    # 3. it is begun: from here on a start asks how it ended
    bench.on_step("begin")
    passes.begin(db, pass_id, now)
    files, texts = _files(bench, planned)
    staged = passes.Staged(pass_id, now, filed.iso(now), planned.made, planned.changes, texts)
    commit = ""
    if files:
        # 4. memory files: stage the rows, land one commit
        repo = bench.open_memory(True)
        bench.on_step("stage")
        with db.transaction():
            passes.stage(db, staged, repo.head())
        bench.on_step("publish")
        text = landing.message(f"Reflect: {_subject(planned)}", pass_id, bench.instance_id)
        try:
            commit = landing.land(repo, pass_id, files, text)
        except BaseException:
            recover(bench)
            raise
    # 5. the rows, with versions and audit, and the event of the call: one transaction
    bench.on_step("apply")
    with db.transaction():
        if not files:
            passes.stage(db, staged)
        event = _event(bench, request, pass_id, planned)
        applied = passes.apply(db, pass_id)
        _follow_files(bench, files)
        if request.scheduled is not None:
            passes.note_scheduled(db, request.scheduled)
    bench.on_step("done")
    return ReflectReport(
        False, planned, (event, *applied.audit_ids), pass_id, commit, applied.overtaken,
        tuple(sorted(left_alone)), recovered,
    )  # fmt: skip


def _dry_run(bench: Workbench, request: ReflectRequest) -> ReflectReport:
    """The plan, over the store as a pass would find it; what that takes is taken back."""
    db, now = bench.db, bench.micros()
    found, used = filed.difference(db, bench.memory), touches.read(bench.touches)
    with db.trial() if found or used else db.reading():
        if found or used:
            touches.apply(db, used)
            filed.sync(db, bench.memory, found, now)
        planned, left_alone = make_plan(bench, request, now)
    with db.transaction():
        event = _event(bench, request, "", planned)
    return ReflectReport(True, planned, (event,), left_alone=tuple(sorted(left_alone)))


def make_plan(bench: Workbench, request: ReflectRequest, now: int) -> tuple[Plan, frozenset[str]]:
    """The plan over the store as it is, and the files it leaves alone because a person is at work on them."""
    words, actions = summarize.summarizer(bench.reflector), frozenset(request.actions)
    least = bench.policy.min_group_size if request.min_group_size is None else request.min_group_size
    left_alone: frozenset[str] = frozenset()
    while True:
        planned = plans.make(
            inputs(bench, request, now), actions, bench.policy, now=now, least=least,
            instance=bench.instance_id, words=words, left_alone=left_alone,
        )  # fmt: skip
        files = planned.touched_files()
        if not files or not (bench.memory / ".git").exists():
            return planned, left_alone
        busy = landing.edited(bench.open_memory(False), files)
        if not busy - left_alone:
            return planned, left_alone
        left_alone |= busy


# ---------------------------------------------------------------------- what a pass looks at
def inputs(bench: Workbench, request: ReflectRequest, now: int) -> Inputs:
    """What a pass looks at, read from the store as it is planned over."""
    db = bench.db
    where, values = _where(request)
    episodes = (
        f"SELECT * FROM records WHERE type = 'episodic' AND status = 'active'{where}"
        " AND (expires_at IS NULL OR expires_at > :now)"
    )
    until = now if request.until is None else request.until
    hours = bench.policy.window_hours if request.time_window_hours is None else request.time_window_hours
    since = until - round(hours * HOUR) if request.since is None else request.since
    limit = bench.policy.limit if request.limit is None else request.limit
    values |= {"now": now, "since": since, "until": until, "limit": limit}
    values["least"] = bench.policy.promote_occurrences

    def many(sql: str) -> Iterator[Record]:
        return (records.of_row(row) for row in db.rows(sql, values))

    recent = (
        f"{episodes} AND occurred_at BETWEEN :since AND :until ORDER BY occurred_at DESC, id LIMIT :limit"
    )
    repeated = (
        f"{episodes} AND pattern IN (SELECT pattern FROM records WHERE type = 'episodic' AND status = 'active'"
        " GROUP BY pattern HAVING count(*) >= :least)"
    )
    summarizes, promotes = "summarize" in request.actions, "promote" in request.actions
    ages = {"expire", "decay", "archive"} & set(request.actions)
    standing = f"SELECT {COLUMNS} FROM records WHERE status <> 'archived'{where} ORDER BY id"
    return Inputs(
        window=many(recent) if summarizes else (),
        repeated=many(repeated) if promotes else (),
        covered=_covered(db) if summarizes else frozenset(),
        records=map(Standing._make, db.each(standing, values)) if ages else (),
        known=_known(db, now),
    )


def _known(db: Database, now: int) -> Callable[[Record], Record | None]:
    return lambda fact: records.by_key(db, fact, now, same_path=True)


def _where(request: ReflectRequest) -> tuple[str, dict[str, Any]]:
    given = {
        "scope": request.scope,
        "bucket": request.bucket,
        "team": request.team,
        "owner": request.owner_filter,
    }
    values: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    where = "".join(f" AND {name} = :{name}" for name in values)
    if request.path_filter is not None:
        where, values = f"{where} AND path GLOB :path", {**values, "path": request.path_filter}
    return where, values


def _covered(db: Database) -> frozenset[str]:
    rows = db.rows(
        "SELECT l.source FROM records r JOIN lineage l ON l.record = r.id"
        " WHERE r.status = 'active' AND r.semantic_key GLOB 'summary:*'"
    )
    return frozenset(r["source"] for r in rows)


# ---------------------------------------------------------------------- memory files
def _files(bench: Workbench, planned: Plan) -> tuple[dict[str, str | None], dict[str, str]]:
    """The memory files a plan writes or takes away, and the texts taken away, by record."""
    files: dict[str, str | None] = {}
    texts: dict[str, str] = {}
    for change in planned.changes:
        path = bench.memory / change.file
        if change.file and change.status == ARCHIVED and path.is_file():
            files[change.file], texts[change.record] = None, path.read_text("utf-8", "replace")
    for made in planned.made:
        path = bench.memory / made.record.file
        known = path.read_text("utf-8", "replace") if path.is_file() else ""
        files[made.record.file] = filed.render(made.record, known)
    return files, texts


def _follow_files(bench: Workbench, files: Mapping[str, str | None]) -> None:
    for path, text in files.items():
        if text is None:
            bench.db.execute("DELETE FROM filed WHERE file = ?", (path,))
        elif (bench.memory / path).is_file():
            filed.note_seen(bench.db, bench.memory, path)


def _subject(planned: Plan) -> str:
    made = sum(m.action == "summarize" for m in planned.made)
    gone = sum(bool(c.file) and c.status == ARCHIVED for c in planned.changes)
    parts = ((made, "summarized"), (len(planned.made) - made, "promoted"), (gone, "archived"))
    return ", ".join(f"{count} {word}" for count, word in parts if count)


def _event(bench: Workbench, request: ReflectRequest, pass_id: str, planned: Plan) -> int:
    why = "scheduled" if request.scheduled is not None else ""
    detail = {
        "dry_run": request.dry_run,
        "pass": pass_id,
        "actions": list(request.actions),
        **planned.counts(),
    }
    return audit.record(bench.db, filed.iso(bench.micros()), passes.ACTOR, "reflect", "records", why, detail)


# ---------------------------------------------------------------------- after a kill
def recover(bench: Workbench) -> dict[str, str]:
    """Bring passes that a kill cut short to their end: completed when their commit landed, else dropped.

    The caller holds the lease, so no pass that is begun is alive. Returns how each ended.
    """
    ended: dict[str, str] = {}
    for pass_id, base, at in passes.unfinished(bench.db):
        landed = False
        if base:
            repo = bench.open_memory(False)
            publish.recover(repo)
            landed = landing.landed(repo, pass_id, base)
            repo.delete_ref(publish.reflection_ref(pass_id))
        word = "completed after it was cut short" if landed else "nothing of it was written"
        with bench.db.transaction():
            if landed:
                passes.apply(bench.db, pass_id)
            else:
                passes.abandon(bench.db, pass_id, at)
            audit.record(bench.db, filed.iso(bench.micros()), "recovery", "reflect", f"pass {pass_id}", word)
        ended[pass_id] = word
    return ended
