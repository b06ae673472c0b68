"""Progress: which turns have been read from the agents, and which of them no dream has seen.

There is no counter to lose: steps since the last reflection are the sum over turns whose state is `new`.
A turn's state changes in the same transaction as the run that read it, so a crash leaves either both or
neither. Files remember how far they were read; a file that shrinks, is replaced or vanishes never rolls
anything back.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from slowwave.model import Project, Session, SourceRange, Turn
from slowwave.store.database import Database, Row

STALE_TURN_SECONDS = 900.0


@dataclass(frozen=True)
class ProjectProgress:
    """What the gate looks at, for one project."""

    project: Project
    steps: int  # in closed turns no dream has read
    turns: int
    marks: int  # compaction marks and context pressure not yet reflected
    open_turns: int
    last_growth: float  # POSIX seconds; 0 when nothing has been read
    sessions: int


@dataclass(frozen=True)
class NewRange:
    """A contiguous run of unread turns of one session, with its file."""

    source: str
    session_id: str
    path: str
    from_turn: int
    to_turn: int
    steps: int
    read_steps: int | None = None  # of its first turn, when it was read before it went on


# ---------------------------------------------------------------------- projects and sessions
def ensure_project(
    db: Database, project: Project, now: str, owners: Callable[[], Mapping[str, str]] = dict
) -> int:
    """The row of a project, made when it is new.

    `owners` says, asked for a new project only, which key each slug of memory belongs to: a project gets its
    own slug back, and one that another key has, there or in the store, is taken: it gets a number.
    """
    row = db.row("SELECT id FROM projects WHERE key = ?", (project.key,))
    if row:
        return int(row["id"])
    owned = owners()
    again = [slug for slug, key in owned.items() if key == project.key]
    numbered = (f"{project.slug}-{n}" for n in itertools.count(2))
    slug = next(
        slug
        for slug in itertools.chain(again, [project.slug], numbered)
        if owned.get(slug, project.key) == project.key
        and not db.row("SELECT 1 FROM projects WHERE slug = ?", (slug,))
    )
    return db.insert(
        "INSERT INTO projects (key, slug, root, created_at) VALUES (?, ?, ?, ?)",
        (project.key, slug, project.root, now),
    )


def projects(db: Database) -> list[tuple[int, Project]]:
    """Every project met so far."""
    return [(r["id"], _project(r)) for r in db.rows("SELECT * FROM projects ORDER BY slug")]


def find_project(db: Database, key: str) -> tuple[int, Project] | None:
    """The project with this key, or None."""
    row = db.row("SELECT * FROM projects WHERE key = ?", (key,))
    return (row["id"], _project(row)) if row else None


def project_by_id(db: Database, number: int) -> Project:
    """The project with this row id."""
    row = db.row("SELECT * FROM projects WHERE id = ?", (number,))
    if row is None:
        raise KeyError(number)
    return _project(row)


def _project(row: Row) -> Project:
    return Project(row["key"], row["slug"], row["root"])


def ensure_session(db: Database, session: Session, project: int, reached: int = 0) -> int:
    """The row of a session, made or brought up to date (a moved file keeps its session and its counts).

    `reached` is the last turn of the file. A file that holds less than is known (an older copy) does not take
    the place of the session's own, unless that is gone.
    """
    row = db.row(
        "SELECT s.id, s.path, f.vanished_at, (SELECT coalesce(max(number), 0) FROM turns WHERE session = s.id)"
        " AS known FROM sessions s LEFT JOIN files f ON f.path = s.path"
        " WHERE s.source = ? AND s.session_id = ?",
        (session.source, session.session_id),
    )
    values = (str(session.path), session.cwd, session.version, session.git_branch)
    if row:
        if str(session.path) != row["path"] and reached < row["known"] and not row["vanished_at"]:
            return int(row["id"])
        db.execute(
            "UPDATE sessions SET path = ?, cwd = ?, version = ?, git_branch = ? WHERE id = ?",
            (*values, row["id"]),
        )
        return int(row["id"])
    return db.insert(
        "INSERT INTO sessions (source, session_id, project, path, cwd, version, git_branch)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (session.source, session.session_id, project, *values),
    )


def moved(db: Database, session: int, path: str) -> None:
    """The session's file is somewhere else now."""
    db.execute("UPDATE sessions SET path = ? WHERE id = ?", (path, session))


def session_path(db: Database, source: str, session_id: str) -> str | None:
    """The file a session was last read from."""
    found = db.value("SELECT path FROM sessions WHERE source = ? AND session_id = ?", (source, session_id))
    return None if found is None else str(found)


# ---------------------------------------------------------------------- turns
def add_turns(
    db: Database, session: int, turns: Sequence[Turn], states: Sequence[str], anew: Sequence[bool]
) -> None:
    """Record closed turns. A turn already known keeps its state (twice equals once), with three exceptions:
    `anew` (other content under a number used before), a vanished turn that is there again, and a turn that was
    read before it had an end and has gone on: what it holds behind the steps that were read is new.
    """
    for turn, state, fresh in zip(turns, states, anew, strict=True):
        where = (session, turn.number)
        known = db.row("SELECT * FROM turns WHERE session = ? AND number = ?", where)
        facts = (
            turn.status, turn.steps if fresh or not known else max(turn.steps, known["steps"]), turn.start,
            turn.end, turn.ended_at.isoformat() if turn.ended_at else None,
        )  # fmt: skip
        if known is None:
            db.execute(
                "INSERT INTO turns (status, steps, start, end, ended_at, text_rows, state, session, number)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*facts, turn.text_rows, state, *where),
            )
            _apply_known_range(db, *where)
            continue
        goes_on = known["run"] and known["read_steps"] is not None and turn.steps > known["steps"]
        again = fresh or known["state"] == "vanished"
        db.execute(
            "UPDATE turns SET status = ?, steps = ?, start = ?, end = ?, ended_at = ? WHERE session = ?"
            " AND number = ?",
            (*facts, *where),
        )
        if again or goes_on:
            db.execute(
                "UPDATE turns SET state = ?, run = NULL, read_steps = ? WHERE session = ? AND number = ?",
                (state if again else "new", None if fresh else known["read_steps"], *where),
            )


def _apply_known_range(db: Database, session: int, number: int) -> None:
    """A range whose run is known decides over `new`: the store was rebuilt, or the run finished first.

    Only for a turn just met: later its own row knows better (it may hold other content by now).
    """
    row = db.row(
        "SELECT ranges.run, runs.status FROM sessions s JOIN ranges ON ranges.source = s.source"
        " AND ranges.session_id = s.session_id JOIN runs ON runs.id = ranges.run"
        " WHERE s.id = ? AND ranges.from_turn < ? AND ranges.to_turn >= ?"
        " AND runs.status IN ('merged', 'no_changes', 'pending', 'discarded', 'undone', 'removed')",
        (session, number, number),
    )
    if row:
        db.execute(
            "UPDATE turns SET state = ?, run = ? WHERE session = ? AND number = ? AND state = 'new'",
            (row["status"], row["run"], session, number),
        )


def last_turn(db: Database, session: int) -> int:
    """The highest number among the known turns of a session; 0 when none is known."""
    return int(db.value("SELECT coalesce(max(number), 0) FROM turns WHERE session = ?", (session,)))


def vanish(db: Database, missing: Iterable["NewRange"]) -> None:
    """Note that these unread turns are no longer in their file: no dream can read them."""
    for r in missing:
        db.execute(
            "UPDATE turns SET state = 'vanished' WHERE state = 'new' AND number > ? AND number <= ?"
            " AND session = (SELECT id FROM sessions WHERE source = ? AND session_id = ?)",
            (r.from_turn, r.to_turn, r.source, r.session_id),
        )


def found_again(db: Database, session: int, reached: int) -> None:
    """The file of a session is there and reaches this turn: what had vanished up to it can be read."""
    db.execute(
        "UPDATE turns SET state = 'new' WHERE session = ? AND number <= ? AND state = 'vanished'",
        (session, reached),
    )


def uncover(db: Database, project: int, paths: Iterable[str] | None = None, since: str = "") -> None:
    """Make history readable: turns of a project skipped at the first start become new.

    `paths` narrows the files; turns that ended before `since` (ISO, UTC) stay history.
    """
    sessions = [r[0] for r in db.rows("SELECT id FROM sessions WHERE project = ?", (project,))]
    wanted = None if paths is None else _sessions_of(db, paths)
    for session in sessions:
        if wanted is None or session in wanted:
            db.execute(
                "UPDATE turns SET state = 'new' WHERE session = ? AND state = 'baseline'"
                " AND (? = '' OR ended_at IS NULL OR ended_at >= ?)",
                (session, since, since),
            )


def _sessions_of(db: Database, paths: Iterable[str]) -> set[int]:
    found = (db.value("SELECT session FROM files WHERE path = ?", (p,)) for p in paths)
    return {int(s) for s in found if s is not None}


def note_growth(db: Database, session: int, *, open_steps: int, turn_open: bool, at: float) -> None:
    """Note the state of a session's last turn, and when its file last grew."""
    db.execute(
        "UPDATE sessions SET open_steps = ?, turn_open = ?, last_growth = ? WHERE id = ?",
        (open_steps, int(turn_open), at, session),
    )


def add_mark(db: Database, session: int, native_id: str, kind: str, turn: int, detail: str, now: str) -> None:
    """Record a compaction mark or context pressure, once."""
    db.execute(
        "INSERT INTO marks (session, native_id, kind, turn, detail, created_at) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT DO NOTHING",
        (session, native_id, kind, turn, detail, now),
    )


# ---------------------------------------------------------------------- what is new
def project_progress(db: Database, number: int, now: float) -> ProjectProgress:
    """What has come since the last successful reflection, for one project.

    A turn that has been open without growth for a quarter of an hour no longer counts as going on: its agent
    was killed, or waits for a tool that may take all night.
    """
    row = db.row(
        "SELECT count(*) AS sessions, coalesce(max(s.last_growth), 0) AS last_growth,"
        " coalesce(sum(s.turn_open AND s.last_growth > ?), 0) AS open_turns"
        " FROM sessions s WHERE s.project = ?",
        (now - STALE_TURN_SECONDS, number),
    )
    new = db.row(
        "SELECT coalesce(sum(t.steps - coalesce(t.read_steps, 0)), 0) AS steps, count(*) AS turns FROM turns t"
        " JOIN sessions s ON s.id = t.session WHERE s.project = ? AND t.state = 'new'",
        (number,),
    )
    marks = db.value(
        "SELECT count(*) FROM marks m JOIN sessions s ON s.id = m.session WHERE s.project = ?"
        " AND m.cleared_by IS NULL AND EXISTS (SELECT 1 FROM turns t WHERE t.session = m.session"
        " AND t.state = 'new' AND t.number <= max(m.turn, 1))",
        (number,),
    )
    if row is None or new is None:
        raise KeyError(number)
    return ProjectProgress(
        project_by_id(db, number), new["steps"], new["turns"], marks, row["open_turns"],
        row["last_growth"], row["sessions"],
    )  # fmt: skip


def projects_with_news(db: Database) -> list[int]:
    """Projects with at least one turn no dream has read."""
    rows = db.rows(
        "SELECT DISTINCT s.project FROM turns t JOIN sessions s ON s.id = t.session"
        " WHERE t.state = 'new' ORDER BY s.project"
    )
    return [r[0] for r in rows]


def new_ranges(
    db: Database, number: int, paths: Iterable[str] | None = None, since: str = ""
) -> list[NewRange]:
    """The unread turns of a project as contiguous ranges, oldest first.

    `paths` narrows the files; `since` (ISO, UTC) leaves out turns that ended before it.
    """
    wanted = None if paths is None else _sessions_of(db, paths)
    rows = db.rows(
        "SELECT s.id, s.source, s.session_id, s.path, t.number, t.ended_at,"
        " t.read_steps, t.steps - coalesce(t.read_steps, 0) AS steps FROM turns t"
        " JOIN sessions s ON s.id = t.session WHERE s.project = ? AND t.state = 'new'"
        " AND (? = '' OR t.ended_at IS NULL OR t.ended_at >= ?) ORDER BY s.id, t.number",
        (number, since, since),
    )
    ranges: list[tuple[str, NewRange]] = []
    for r in rows:
        if wanted is not None and r["id"] not in wanted:
            continue
        last = ranges[-1][1] if ranges else None
        same = last and (last.source, last.session_id) == (r["source"], r["session_id"])
        if last and same and last.to_turn == r["number"] - 1 and r["read_steps"] is None:
            grown = replace(last, to_turn=r["number"], steps=last.steps + r["steps"])
            ranges[-1] = (ranges[-1][0], grown)
        else:
            fresh = NewRange(
                r["source"], r["session_id"], r["path"], r["number"] - 1, r["number"], r["steps"],
                r["read_steps"],
            )  # fmt: skip
            ranges.append((r["ended_at"] or "", fresh))
    ranges.sort(key=lambda pair: (pair[0], pair[1].source, pair[1].session_id, pair[1].from_turn))
    return [r for _, r in ranges]


def settle(db: Database, run: str, ranges: Iterable[SourceRange], state: str) -> None:
    """Give the turns of these ranges the fate of their run, and clear the marks they answer.

    `new` gives them back (a failed run). Turns that another run has settled meanwhile are left alone, and a
    turn without an end is settled as far as it was read: what it has gained since is new.
    Call it inside the transaction that writes the run's own status.
    """
    for r in ranges:
        session = db.value(
            "SELECT id FROM sessions WHERE source = ? AND session_id = ?", (r.source, r.session_id)
        )
        if session is None:
            continue  # a rebuilt store: `add_turns` finds the range when the session is read
        db.execute(
            "UPDATE turns SET state = ?, run = ? WHERE session = ? AND number > ? AND number <= ?"
            " AND (run IS NULL OR run = ?)",
            (state, None if state == "new" else run, session, r.from_turn, r.to_turn, run),
        )
        if state != "new" and r.unfinished is not None:
            _settle_in_part(db, run, session, r.to_turn, r.unfinished)
        db.execute(
            "UPDATE marks SET cleared_by = ? WHERE session = ? AND turn <= ?"
            + (" AND cleared_by IS NULL" if state != "new" else " AND cleared_by = ?"),
            (run, session, r.to_turn) if state != "new" else (None, session, r.to_turn, run),
        )


def _settle_in_part(db: Database, run: str, session: int, number: int, read: int) -> None:
    """Note how far an unfinished turn was read. It is new again when it has gone on since, as long as each dream
    gets further in it.
    """
    row = db.row(
        "SELECT steps, read_steps FROM turns WHERE session = ? AND number = ? AND run = ?",
        (session, number, run),
    )
    if row is None:
        return
    went_on = row["steps"] > read and (row["read_steps"] is None or row["read_steps"] < read)
    db.execute(
        "UPDATE turns SET read_steps = ?" + (", state = 'new', run = NULL" if went_on else "")
        + " WHERE session = ? AND number = ?",
        (read, session, number),
    )  # fmt: skip
