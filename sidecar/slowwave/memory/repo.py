"""The memory repository: objects and references of git, asked for without trusting anything but git's own
format.
Memory is a git checkout a person may also work in, so its `.git/config`, attributes and hooks are theirs, and
any of them can name a program to run. Everything about objects therefore runs in a private bare git directory
of ours (`.git/slowwave/plumbing`) that has a fixed config and borrows only the object store; the person's git
directory is touched for references and the index alone, with hooks off. Our commits carry our own identity.

GitPython starts the git command and is imported here only, on first use: it costs a quarter of a second and
leaks in long-lived processes. Doorway 3; `publish` and `importer` stand on it.
"""

import contextlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from slowwave import lock
from slowwave.errors import MemoryRepositoryError, ScopeError
from slowwave.memory import objects
from slowwave.memory.beneath import Folder
from slowwave.memory.disk import disk_errors, hint_for
from slowwave.memory.objects import Change, Commit, MergeResult, TreeEntry
from slowwave.memory.safety import ENVIRONMENT, SETTINGS, borrowing, make_plumbing, without_inherited_git

NOT_A_FILE: Final = "not a plain file"  # what `raw_hash` answers for links, folders and special files

_OID: Final = re.compile(r"[0-9a-f]{40}")
OLDEST_GIT: Final = (2, 38)  # `merge-tree --write-tree`


class MemoryRepository:
    """One memory checkout, as `shape` made or checked it; holds no process and no descriptor between calls.

    With `trial`, a folder of the caller's, it writes all objects there and none into the repository.
    """

    def __init__(self, path: Path, branch: str, *, trial: Path | None = None) -> None:
        self.path = path
        self.git_dir = path / ".git"
        self.own_dir = self.git_dir / "slowwave"
        self.branch = branch
        self.files = Folder(path)
        self._plumbing: Path | None = None
        self._fallback: tempfile.TemporaryDirectory[str] | None = None
        self._objects = self.git_dir / "objects"
        self._trial = trial

    @contextlib.contextmanager
    def lock(self, timeout: float = 10.0) -> Iterator[None]:
        """Hold the right to publish. BusyError when another process keeps it longer than the timeout."""
        with contextlib.ExitStack() as stack:
            with disk_errors("lock the memory repository"):
                self.own_dir.mkdir(exist_ok=True)
                held = lock.held(self.own_dir / "lock", "a publishing to the memory repository", timeout)
                stack.enter_context(held)
            yield

    # ------------------------------------------------------------------ references
    @property
    def branch_ref(self) -> str:
        """The full name of the branch memory lives on."""
        return f"refs/heads/{self.branch}"

    def head(self) -> str:
        """The commit memory stands at."""
        found = self.resolve(self.branch_ref)
        if found is None:
            raise MemoryRepositoryError(f"branch {self.branch} of the memory repository {self.path} is gone")
        return found

    def checked_out(self) -> str | None:
        """The full name of the reference HEAD follows now; None when it is detached."""
        return self._git("symbolic-ref", "--quiet", "HEAD", real=True, ok=(0, 1)).decode().strip() or None

    def resolve(self, ref: str) -> str | None:
        """The commit a name stands for, or None when there is no such name."""
        out = self._git(
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            f"{ref}^{{commit}}",
            real=True,
            ok=(0, 1, 128),
        )
        return out.decode().strip() or None

    def refs(self, prefix: str) -> dict[str, str]:
        """Every reference below a prefix ("refs/heads/reflection/"), with its commit."""
        out = self._git("for-each-ref", "--format=%(refname) %(objectname)", prefix, real=True).decode()
        return {ref: oid for ref, _, oid in (line.partition(" ") for line in out.splitlines())}

    def update_ref(self, ref: str, new: str, old: str | None) -> bool:
        """Compare and swap; `old=None` means it must not exist yet. False when it stands elsewhere now."""
        try:
            self._git("update-ref", "--no-deref", ref, new, old or "0" * 40, real=True)
        except MemoryRepositoryError:
            now = self.resolve(ref)
            if now == new:
                return True
            if now == old:
                raise
            return False
        return True

    def delete_ref(self, ref: str) -> None:
        """Remove a reference; one that is not there is fine."""
        self._git("update-ref", "--no-deref", "-d", ref, real=True)

    # ------------------------------------------------------------------ reading objects
    def tree(self, rev: str) -> dict[str, TreeEntry]:
        """Every file of a commit or tree, by path."""
        out = self._git("ls-tree", "-r", "-l", "-z", "--full-tree", self._oid(rev))
        found = {}
        for record in filter(None, out.split(b"\0")):
            header, path = record.split(b"\t", 1)
            mode, _, oid, size = header.decode().split()
            found[os.fsdecode(path)] = TreeEntry(mode, oid, None if size == "-" else int(size))
        return found

    def tree_id(self, rev: str) -> str:
        """The name of a commit's tree."""
        return self._git("rev-parse", "--verify", f"{self._oid(rev)}^{{tree}}").decode().strip()

    def read(self, rev: str, path: str) -> bytes:
        """One file of a commit. FileNotFoundError when the commit has none."""
        out = self._git("ls-tree", "-z", "--full-tree", self._oid(rev), "--", path)
        _, kind, oid = out.partition(b"\t")[0].decode().split() if out else ("", "", "")
        if kind != "blob":
            raise FileNotFoundError(f"{path} is not a file of {rev}")
        return self.read_many([oid])[oid]

    def read_many(self, oids: Iterable[str]) -> dict[str, bytes]:
        """The contents of many blobs by one call."""
        wanted = list(dict.fromkeys(oids))
        if not wanted:
            return {}
        out = memoryview(self._git("cat-file", "--batch", input="".join(f"{o}\n" for o in wanted).encode()))
        found, at = {}, 0
        for oid in wanted:
            header = bytes(out[at : at + 128]).split(b"\n", 1)[0]
            parts = header.decode().split()
            if len(parts) != 3:
                raise MemoryRepositoryError(
                    f"object {oid} is missing from the memory repository",
                    hint=f"Run: git -C '{self.path}' fsck",
                )
            start = at + len(header) + 1
            found[oid] = bytes(out[start : start + int(parts[2])])
            at = start + int(parts[2]) + 1
        return found

    def changes(self, old: str, new: str) -> tuple[Change, ...]:
        """What differs between two commits or trees, without guessing at renames."""
        out = self._git("diff-tree", "-r", "-z", "--raw", "--no-renames", self._oid(old), self._oid(new))
        fields = out.split(b"\0")
        found = []
        for header, path in zip(fields[:-1:2], fields[1::2], strict=False):
            old_mode, new_mode, old_oid, new_oid, _ = header.decode()[1:].split()
            before = None if old_mode == "000000" else TreeEntry(old_mode, old_oid)
            after = None if new_mode == "000000" else TreeEntry(new_mode, new_oid)
            found.append(Change(os.fsdecode(path), before, after))
        return tuple(found)

    def diff(self, old: str, new: str, paths: Sequence[str] = ()) -> str:
        """The same as unified text for a person."""
        options = ("-r", "-p", "-M", "--no-ext-diff", "--no-textconv", "--no-color")
        return self._git("diff-tree", *options, self._oid(old), self._oid(new), "--", *paths).decode(
            "utf-8", "replace"
        )

    def log(self, limit: int = 50) -> tuple[Commit, ...]:
        """The newest commits of memory along its first parents, newest first."""
        return self._log("--first-parent", f"--max-count={limit}", self.head())

    def commit(self, sha: str) -> Commit | None:
        """One commit of the repository, on whatever branch; None when it is not there."""
        found = self.resolve(sha)
        return self._log("--max-count=1", found)[0] if found else None

    def commits_since(self, sha: str | None, *, sides: bool = False) -> tuple[Commit, ...]:
        """First-parent commits after one, oldest first; all of them for None or a commit no longer known.

        With `sides`, those that came in by merges too, each after its parents.
        """
        known = sha if sha and self.resolve(sha) else None
        order = "--topo-order" if sides else "--first-parent"
        return self._log(order, self.head(), *([f"^{known}"] if known else []))[::-1]

    def history(self, head: str) -> frozenset[str]:
        """Every commit in the history of one, itself included."""
        return frozenset(self._git("rev-list", head).decode().split())

    def contains(self, ancestor: str, descendant: str) -> bool:
        """True when one commit is in the history of the other (or is it)."""
        return self._status("merge-base", "--is-ancestor", ancestor, descendant) == 0

    def landing_of(self, reflection: str, head: str) -> str | None:
        """The commit on memory's first-parent line that merged this commit, or None."""
        out = self._git("rev-list", "--first-parent", "--parents", head, f"^{reflection}").decode()
        for line in out.splitlines():
            sha, _, *merged = line.split()
            if reflection in merged:
                return sha
        return reflection if self.contains(reflection, head) else None

    def raw_hash(self, path: str) -> str | None:
        """The blob name of a working-tree file's exact bytes, None for absence, NOT_A_FILE for anything
        else.
        """
        try:
            data = self.files.read(path)
        except FileNotFoundError:
            return None
        except ScopeError:
            return NOT_A_FILE
        return objects.blob_hash(data)

    # ------------------------------------------------------------------ writing objects
    def merge(self, ours: str, theirs: str) -> MergeResult:
        """Merge two commits without touching a checkout."""
        out = self._git("merge-tree", "--write-tree", "-z", "--no-messages", ours, theirs, ok=(0, 1))
        tree, *records = filter(None, out.split(b"\0"))
        stages = {}
        for record in records:
            header, path = record.split(b"\t", 1)
            mode, oid, stage = header.decode().split()
            stages[os.fsdecode(path), int(stage)] = TreeEntry(mode, oid)
        return MergeResult(tree.decode(), tuple(dict.fromkeys(path for path, _ in stages)), stages)

    def commit_tree(self, tree: str, parents: Sequence[str], message: str, at: datetime | None = None) -> str:
        """Write a commit object and return its name. No reference moves."""
        when = f"{int((at or datetime.now(UTC)).timestamp())} +0000"
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        options = [word for parent in parents for word in ("-p", parent)]
        return (
            self._git("commit-tree", tree, *options, input=objects.message_bytes(message), extra=dates)
            .decode()
            .strip()
        )

    def edit_tree(self, tree: str | None, entries: Mapping[str, TreeEntry | None]) -> str:
        """A tree with some entries put or (None) removed, made through an index of its own."""
        with tempfile.TemporaryDirectory(prefix="slowwave-") as folder:
            index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
            self._git("read-tree", self._oid(tree) if tree else "--empty", extra=index)
            self._git(
                "update-index",
                "--replace",
                "-z",
                "--index-info",
                input=objects.index_info(entries),
                extra=index,
            )
            return self._git("write-tree", extra=index).decode().strip()

    def write_blob(self, data: bytes) -> str:
        """Store bytes exactly as they are."""
        return self._git("hash-object", "-w", "--no-filters", "--stdin", input=data).decode().strip()

    def bundle(self, file: Path) -> None:
        """Write memory's branch with its history into a file."""
        self._git("bundle", "create", "--quiet", str(file.absolute()), self.branch_ref, real=True)

    def unbundle(self, file: Path) -> str:
        """Store the objects of such a file, moving no reference; returns the commit its branch stands at."""
        return self._git("bundle", "unbundle", str(file.absolute())).decode().split()[0]

    def fast_import(self, commands: bytes) -> str:
        """Run one import stream that marks its commit `:1`, and return that commit's name."""
        stream = b"feature done\nfeature get-mark\n" + commands + b"get-mark :1\ndone\n"
        said = self._git("fast-import", "--quiet", "--force", "--date-format=raw", input=stream)
        return said.decode().strip()

    def delete_import(self, ref: str) -> None:
        """Forget the reference an import stream made in the private directory."""
        self._git("update-ref", "-d", ref)

    # ------------------------------------------------------------------ the index
    def staged(self) -> dict[str, str]:
        """What the person's index holds: blob names by path; a conflicted path has the name "conflict"."""
        found: dict[str, str] = {}
        for record in filter(None, self._git("ls-files", "--stage", "-z", real=True).split(b"\0")):
            header, path = record.split(b"\t", 1)
            _, oid, stage = header.decode().split()
            found[os.fsdecode(path)] = oid if stage == "0" else "conflict"
        return found

    def update_index(self, index: Path, entries: Mapping[str, TreeEntry | None]) -> None:
        """Put entries into an index file; the working tree is not looked at."""
        extra = {"GIT_INDEX_FILE": str(index)}
        self._git(
            "update-index",
            "--replace",
            "-z",
            "--index-info",
            input=objects.index_info(entries),
            real=True,
            extra=extra,
        )

    # ------------------------------------------------------------------ the one way to start git
    def _log(self, *args: str) -> tuple[Commit, ...]:
        out = self._git("log", "-z", objects.LOG_FORMAT, *args).decode("utf-8", "replace")
        fields = out.removesuffix("\0").split("\0") if out else []
        return tuple(
            objects.parse_commit(fields[i : i + objects.LOG_FIELDS])
            for i in range(0, len(fields), objects.LOG_FIELDS)
        )

    def _oid(self, rev: str) -> str:
        if _OID.fullmatch(rev):
            return rev
        found = self.resolve(rev)
        if found is None:
            raise MemoryRepositoryError(f"{rev} is not known in the memory repository {self.path}")
        return found

    def _git(
        self,
        *args: str,
        input: bytes | None = None,  # noqa: A002 - the name subprocess uses
        real: bool = False,
        ok: tuple[int, ...] = (0,),
        extra: Mapping[str, str] | None = None,
    ) -> bytes:
        status, out, err = self._run(args, input, real=real, extra=extra)
        if status not in ok:
            said = err.decode("utf-8", "replace").strip() or f"exit status {status}"
            raise MemoryRepositoryError(f"git {args[0]} failed in {self.path}: {said}", hint=hint_for(said))
        return out

    def _status(self, *args: str) -> int:
        status, _, err = self._run(args, None)
        if status not in {0, 1}:
            raise MemoryRepositoryError(
                f"git {args[0]} failed in {self.path}: {err.decode('utf-8', 'replace').strip()}"
            )
        return status

    def _run(
        self,
        args: Sequence[str],
        data: bytes | None,
        *,
        real: bool = False,
        extra: Mapping[str, str] | None = None,
    ) -> tuple[int, bytes, bytes]:
        places = (
            {"GIT_DIR": str(self.git_dir), "GIT_WORK_TREE": str(self.path)}
            if real
            else self._plumbing_places()
        )
        return run_git(args, data, {**places, **(extra or {})})

    def _plumbing_places(self) -> dict[str, str]:
        if self._plumbing is None:
            try:
                self._plumbing = make_plumbing(self._trial or self.own_dir / "plumbing")
            except OSError:  # a read-only disk: reading memory must still work
                self._fallback = tempfile.TemporaryDirectory(prefix="slowwave-plumbing-")
                self._plumbing = make_plumbing(Path(self._fallback.name))
            if self._trial:
                self._objects = borrowing(self._trial / "objects", self._objects)
        places = {"GIT_DIR": str(self._plumbing), "GIT_OBJECT_DIRECTORY": str(self._objects)}
        shallow = self.git_dir / "shallow"
        return {**places, "GIT_SHALLOW_FILE": str(shallow)} if shallow.exists() else places


def run_git(args: Sequence[str], data: bytes | None, places: Mapping[str, str]) -> tuple[int, bytes, bytes]:
    """Start git with nothing inherited but PATH and the like; answer its status, output and complaints."""
    command = ["git", *(word for setting in SETTINGS for word in ("-c", setting)), *args]
    with without_inherited_git():
        try:
            from git import Git  # a quarter of a second, and it leaks: only where git is needed

            process = Git(Path.cwd().anchor).execute(
                command, istream=subprocess.PIPE, as_process=True, env={**ENVIRONMENT, **places}
            )
        except (ImportError, OSError) as error:
            raise MemoryRepositoryError("git cannot be started", hint="Install git 2.38 or newer.") from error
    out, err = process.communicate(data or b"")
    return process.returncode, out, err


def git_version() -> str:
    """The version of the git on PATH. Raises MemoryRepositoryError when there is none, or it is too old."""
    _, out, _ = run_git(("version",), None, {})
    said = out.decode("utf-8", "replace").removeprefix("git version ").strip()
    parts = [int(p) for p in said.split(".")[:2] if p.isdigit()]
    if tuple(parts) < OLDEST_GIT:
        raise MemoryRepositoryError(
            f"git {said or '(unknown version)'} is too old", hint="Install git 2.38 or newer."
        )
    return said
