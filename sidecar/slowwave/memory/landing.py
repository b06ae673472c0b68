"""Landing: the steps that bring a finished commit onto memory's branch and into the person's checkout.

`git merge` in the checkout, killed at any of its system calls, left one state in five that nobody could tell
from a human edit. So landing is steps of our own, ordered so that everything that can fail comes before the
reference moves, and what comes after is renames that the journal can repeat:

    stage the new files → take git's index lock, prepare the next index → journal → move the reference
    → rename each file into place → rename the index into place → drop the journal

A person's text is never overwritten: each file is hashed right before its rename, and one that is not what it
was stays as it is (it then shows as an ordinary uncommitted change). Holding git's index lock keeps a
person's `git commit` from taking the old index for a revert of what just landed. Doorway 3, behind `publish`.
"""

import contextlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from slowwave.errors import BusyError, MemoryRepositoryError, ScopeError
from slowwave.memory.disk import disk_errors, sync_folder, write_synced
from slowwave.memory.line_ends import as_checked_out, hash_among
from slowwave.memory.objects import TreeEntry
from slowwave.memory.repo import MemoryRepository
from slowwave.memory.stale import stale_locks

Step = Callable[[str], None]

_OURS: Final = b"slowwave\n"  # what our index lock holds; git's own is empty or an index


@dataclass(frozen=True, slots=True)
class Ready:
    """A planned landing: memory's branch goes from `old` to `new`, which is written; `paths` change."""

    old: str
    new: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Landed:
    """It is on memory's branch. The files in `left_to_person` were edited meanwhile and kept as they are."""

    commit: str
    left_to_person: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Raced:
    """Memory's branch moved meanwhile; nothing was done. `now` is where it stands."""

    now: str


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a recovery did: the landing it finished, whose files it left alone, and the dead locks it
    removed.
    """

    finished: str | None = None
    left_to_person: tuple[str, ...] = ()
    locks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Move:
    """One path to bring to `want`, provided it still is one of `had`."""

    path: str
    had: frozenset[str | None]
    want: TreeEntry | None

    @property
    def oid(self) -> str | None:
        """The wanted content, None for no file."""
        return self.want.oid if self.want else None


def quiet(_step: str) -> None:
    """The listener that does not listen."""


def land(
    repo: MemoryRepository, ready: Ready, on_step: Step = quiet, *, patience: float = 3.0
) -> Landed | Raced:
    """Carry out a plan. The caller holds `repo.lock()`; BusyError when a person's git keeps the index
    locked.
    """
    moves = [
        _Move(c.path, frozenset({c.old.oid if c.old else None}), c.new)
        for c in repo.changes(ready.old, ready.new)
    ]
    on_step("stage")
    with _staged(repo, moves) as staged:
        on_step("lock-index")
        with _next_index(repo, moves, patience) as index:
            on_step("journal")
            _write_journal(repo, ready)
            on_step("ref")
            if repo.checked_out() != repo.branch_ref or not repo.update_ref(
                repo.branch_ref, ready.new, ready.old
            ):
                _drop_journal(repo)
                return Raced(repo.head())
            left = _move_files(repo, moves, staged, on_step)
            on_step("index")
            with disk_errors("update the index"):
                index.replace(repo.git_dir / "index")
        on_step("done")
        _drop_journal(repo)
    return Landed(ready.new, left)


def recover(repo: MemoryRepository, *, stale_after: float = 10.0, timeout: float = 10.0) -> Recovered:
    """Finish what a killed process began, and remove the locks dead processes left. To be called at every
    start.
    """
    with repo.lock(timeout):
        _drop_own_index_lock(repo)
        locks = stale_locks(repo.git_dir, stale_after, time.time())
        with disk_errors("remove stale locks"):
            for lock in locks:
                lock.unlink(missing_ok=True)
        finished, left = finish_journal(repo)
    return Recovered(finished, left, tuple(lock.relative_to(repo.git_dir).as_posix() for lock in locks))


def finish_journal(repo: MemoryRepository) -> tuple[str | None, tuple[str, ...]]:
    """Replay the journal forward; the caller holds the lock. Answers the landed commit and the files left
    alone.

    Where the branch still stands at the old commit, nothing had landed: the plan is dropped, its reflection
    branch is still there to publish. Where a person has reset the branch since, the checkout is theirs.
    """
    _drop_own_index_lock(repo)
    ready = _read_journal(repo)
    with disk_errors("clean up after a killed landing"):
        shutil.rmtree(repo.own_dir / "staged", ignore_errors=True)
        for name in ("index.next", "index.next.lock"):
            (repo.own_dir / name).unlink(missing_ok=True)
    if ready is None:
        return None, ()
    head = repo.head()
    if head == ready.old or not repo.contains(ready.new, head):
        _drop_journal(repo)
        return None, ()
    tree = repo.tree(head)
    moves = [
        _Move(
            c.path, frozenset({c.old.oid if c.old else None, c.new.oid if c.new else None}), tree.get(c.path)
        )
        for c in repo.changes(ready.old, ready.new)
    ]
    with _staged(repo, moves) as staged, _next_index(repo, moves, patience=3.0) as index:
        left = _move_files(repo, moves, staged, quiet)
        with disk_errors("update the index"):
            index.replace(repo.git_dir / "index")
    _drop_journal(repo)
    return ready.new, left


# ---------------------------------------------------------------------- files
@contextlib.contextmanager
def _staged(repo: MemoryRepository, moves: Sequence[_Move]) -> Iterator[Mapping[str, Path]]:
    """The new contents, on disk and synced, beside the checkout; taken away in the end."""
    folder = repo.own_dir / "staged"
    blobs = repo.read_many(move.want.oid for move in moves if move.want)
    found: dict[str, Path] = {}
    try:
        with disk_errors("write the new memory files"):
            folder.mkdir(parents=True, exist_ok=True)
            for number, move in enumerate(moves):
                if move.want:
                    found[move.path] = folder / str(number)
                    data = as_checked_out(repo, move.path, move.had, blobs[move.want.oid])
                    write_synced(found[move.path], data, _mode(repo, move))
        yield found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _mode(repo: MemoryRepository, move: _Move) -> int | None:
    """The permission bits the file has now, with the executable bits its tree entry asks for; None for the
    umask's.
    """
    with contextlib.suppress(ScopeError):
        mode = repo.files.mode(move.path)
        executable = move.want is not None and move.want.mode == "100755"
        if mode is None:
            return 0o755 if executable else None
        return mode | 0o111 if executable else mode & ~0o111
    return None


def _move_files(
    repo: MemoryRepository, moves: Sequence[_Move], staged: Mapping[str, Path], on_step: Step
) -> tuple[str, ...]:
    """Bring each file to what is wanted, removals first; answers those a person has changed, which are left
    alone.
    """
    left = []
    for move in sorted(moves, key=lambda m: (m.want is not None, m.path)):
        on_step(f"file:{move.path}")
        with disk_errors(f"write {move.path}"):
            now = hash_among(repo, move.path, {move.oid, *move.had})
            if now == move.oid:
                continue
            if now not in move.had or not _move_file(repo, move, staged):
                left.append(move.path)
    for folder in {(repo.path / move.path).parent for move in moves}:
        sync_folder(folder)  # before the journal goes
    return tuple(left)


def _move_file(repo: MemoryRepository, move: _Move, staged: Mapping[str, Path]) -> bool:
    try:
        if move.want is None:
            repo.files.delete(move.path, prune=True)
        else:
            repo.files.move_in(staged[move.path], move.path)
    except ScopeError:  # a person put a link or a folder there this instant
        return False
    return True


# ---------------------------------------------------------------------- the index
@contextlib.contextmanager
def _next_index(repo: MemoryRepository, moves: Sequence[_Move], patience: float) -> Iterator[Path]:
    """Hold git's index lock, with the next index prepared beside it. What a person has staged stays
    staged.
    """
    lock = repo.git_dir / "index.lock"
    following = repo.own_dir / "index.next"
    _take_index_lock(lock, patience)
    try:
        with disk_errors("prepare the index"):
            following.unlink(missing_ok=True)
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(repo.git_dir / "index", following)
        staged = repo.staged()
        entries = {m.path: m.want for m in moves if staged.get(m.path) in m.had}
        repo.update_index(following, entries)
        yield following
    finally:
        following.unlink(missing_ok=True)
        lock.unlink(missing_ok=True)


def _take_index_lock(lock: Path, patience: float) -> None:
    deadline = time.monotonic() + patience
    while True:
        try:
            fd = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            if time.monotonic() >= deadline:
                raise BusyError(
                    "Another git command is at work in the memory folder",
                    hint=f"Finish it, then try again; if none is running, remove {lock}.",
                ) from None
            time.sleep(0.05)
            continue
        except OSError as error:
            with disk_errors("lock the index"):
                raise error from None
        with os.fdopen(fd, "wb") as file, disk_errors("lock the index"):
            file.write(_OURS)
        return


def _drop_own_index_lock(repo: MemoryRepository) -> None:
    """Remove an index lock of ours: whoever made it is dead, for we hold the lock it held."""
    lock = repo.git_dir / "index.lock"
    with disk_errors("remove the index lock"):
        if lock.is_file() and lock.read_bytes() == _OURS:
            lock.unlink()


# ---------------------------------------------------------------------- the journal
def _journal(repo: MemoryRepository) -> Path:
    return repo.own_dir / "journal.json"


def _write_journal(repo: MemoryRepository, ready: Ready) -> None:
    with disk_errors("write the journal"):
        beside = repo.own_dir / "journal.new"
        write_synced(beside, json.dumps({"old": ready.old, "new": ready.new}).encode())
        beside.replace(_journal(repo))
        sync_folder(repo.own_dir)


def _read_journal(repo: MemoryRepository) -> Ready | None:
    try:
        found = json.loads(_journal(repo).read_bytes())
        return Ready(str(found["old"]), str(found["new"]), ())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise MemoryRepositoryError(
            f"the journal {_journal(repo)} cannot be read: {error}",
            hint="Look at the checkout, then remove it.",
        ) from error


def _drop_journal(repo: MemoryRepository) -> None:
    with disk_errors("remove the journal"):
        _journal(repo).unlink(missing_ok=True)
        sync_folder(repo.own_dir)
