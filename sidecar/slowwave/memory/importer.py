"""What a worker left in its folder becomes a commit, without git ever looking at that folder.

`git add` over a hostile tree runs code in the parent even with every safe option set (a nested repository's
clean filter does it). So the walk is our own: every name, type, size and byte is checked, all problems are
collected, and what passes goes into the object store through one `git fast-import`.

Only files this policy would accept are ever shown to a worker (`presentable`); the person's other files
(dotfiles, links, pictures, scripts) are neither shown, nor changed, nor taken for deleted. Doorway 3.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Final

from slowwave.errors import MemoryRepositoryError, RefusedError, ScopeError
from slowwave.memory.beneath import Folder
from slowwave.memory.names import fold, name_problem, path_problem
from slowwave.memory.objects import TreeEntry, blob_hash, message_bytes
from slowwave.memory.repo import MemoryRepository
from slowwave.memory.safety import IDENTITY

EXTENSIONS: Final = frozenset({".md", ".txt", ".json", ".yaml", ".yml"})
_MOST_PROBLEMS: Final = 200  # a person reads no more, and a hostile tree can have millions


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one reflection may hold and change."""

    files: int = 5_000
    total_bytes: int = 32 << 20
    file_bytes: int = 256 << 10
    depth: int = 8
    changed: int = 1_000
    extensions: frozenset[str] = EXTENSIONS

    def beyond(self, shown: Mapping[str, bytes]) -> "Limits":
        """The limits of a folder that began with these files: what a memory holds already is no excess."""
        size = sum(map(len, shown.values()))
        return replace(self, files=self.files + len(shown), total_bytes=self.total_bytes + size)


@dataclass(slots=True)
class _Inspection:
    """The walk's notebook: what passed, what did not, and which names are taken."""

    limits: Limits
    files: dict[str, bytes] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    taken: dict[str, str] = field(default_factory=dict)
    total: int = 0

    @property
    def full(self) -> bool:
        return len(self.problems) >= _MOST_PROBLEMS or len(self.taken) > 2 * self.limits.files

    def refuse(self, path: str, why: str) -> None:
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(f"{path!r}: {why}")

    def claims_name(self, path: str) -> bool:
        """Take the name for this path; refused when another spelling of it is taken."""
        other = self.taken.setdefault(fold(path), path)
        if other != path:
            self.refuse(path, f"same name as {other!r} on some file systems")
        return other == path


def collect(folder: Path, limits: Limits | None = None) -> dict[str, bytes]:
    """Every file of a worker's folder by relative path; RefusedError with all problems when any is not
    allowed.
    """
    inspection = _Inspection(limits or Limits())
    root = Folder(folder)
    try:
        _walk(root, "", 1, inspection)
    except FileNotFoundError as error:
        raise MemoryRepositoryError(f"the reflection folder {folder} is gone") from error
    if len(inspection.files) > inspection.limits.files:
        inspection.refuse(".", f"more than {inspection.limits.files} files")
    if inspection.total > inspection.limits.total_bytes:
        inspection.refuse(".", f"more than {inspection.limits.total_bytes} bytes in all")
    if inspection.problems:
        raise RefusedError(*inspection.problems, hint="Nothing of this reflection was imported.")
    return inspection.files


def presentable(repo: MemoryRepository, base: str, limits: Limits | None = None) -> dict[str, bytes]:
    """The files of a commit that the policy would accept back, with their exact bytes."""
    limits = limits or Limits()
    inspection = _Inspection(limits)
    chosen: dict[str, TreeEntry] = {}
    for path, entry in repo.tree(base).items():
        size = entry.size if entry.size is not None else 0
        if entry.is_plain and not _path_refused(path, limits) and size <= limits.file_bytes:
            parents = [path.rsplit("/", n)[0] for n in range(path.count("/"), 0, -1)]
            if all(inspection.claims_name(p) for p in (*parents, path)):
                chosen[path] = entry
    blobs = repo.read_many(entry.oid for entry in chosen.values())
    return {p: blobs[e.oid] for p, e in chosen.items() if not _content_problem(blobs[e.oid])}


def commit(
    repo: MemoryRepository,
    base: str,
    ref: str,
    files: Mapping[str, bytes],
    message: str,
    *,
    limits: Limits | None = None,
    at: datetime | None = None,
) -> str | None:
    """Write the difference to `base` as one commit on the reference, or answer None when there is none.

    The reference must not exist yet, or stand at `base`.
    """
    limits = limits or Limits()
    tree = repo.tree(base)
    shown = presentable(repo, base, limits)
    changed = {p: data for p, data in files.items() if p not in shown or tree[p].oid != blob_hash(data)}
    removed = [path for path in shown if path not in files]
    if not changed and not removed:
        return None
    _require_room(changed, removed, tree.keys() - shown.keys(), limits)
    when = int((at or datetime.now(UTC)).timestamp())
    text = message_bytes(message)
    private = f"refs/import/{secrets.token_hex(8)}"
    stream = [
        f"commit {private}\nmark :1\ncommitter {IDENTITY[0]} <{IDENTITY[1]}> {when} +0000\n".encode(),
        b"data %d\n%s\nfrom %s\n" % (len(text), text, base.encode()),
        *(b"D %s\n" % _quoted(path) for path in removed),
        *(b"M 100644 inline %s\ndata %d\n%s\n" % (_quoted(p), len(d), d) for p, d in changed.items()),
    ]
    new = repo.fast_import(b"".join(stream))
    repo.delete_import(private)
    old = repo.resolve(ref)
    if old not in {None, base} or not repo.update_ref(ref, new, old):
        raise MemoryRepositoryError(f"{ref} exists already", hint="Every reflection has a branch of its own.")
    return new


def _walk(root: Folder, path: str, depth: int, inspection: _Inspection) -> None:
    for item in root.scan(path):
        if inspection.full:
            return
        inside = f"{path}/{item.name}" if path else item.name
        if problem := name_problem(item.name):
            inspection.refuse(inside, problem)
        elif not inspection.claims_name(inside):
            continue
        elif item.is_folder and depth > inspection.limits.depth:
            inspection.refuse(inside, f"deeper than {inspection.limits.depth} folders")
        elif item.is_folder:
            with _Refusals(inspection, inside):
                _walk(root, inside, depth + 1, inspection)
        else:
            with _Refusals(inspection, inside):
                _take(root, inside, inspection)


def _take(root: Folder, path: str, inspection: _Inspection) -> None:
    limits = inspection.limits
    data = root.read(path, limits.file_bytes)
    problem = _extension_problem(path, limits) or _content_problem(data)
    if len(data) > limits.file_bytes:
        problem = f"larger than {limits.file_bytes} bytes"
    if problem:
        inspection.refuse(path, problem)
        return
    inspection.total += len(data)
    if inspection.total <= limits.total_bytes:
        inspection.files[path] = data


class _Refusals:
    """Notes what the guard refuses and what vanished during the walk; the walk goes on."""

    def __init__(self, inspection: _Inspection, path: str) -> None:
        self._inspection = inspection
        self._path = path

    def __enter__(self) -> None:
        """Nothing to take."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, ScopeError):
            self._inspection.refuse(self._path, error.problems[0].removeprefix(f"{self._path}: "))
            return True
        if isinstance(error, FileNotFoundError):
            self._inspection.refuse(self._path, "vanished while it was read: the worker still runs")
            return True
        return False


def _require_room(changed: Mapping[str, bytes], removed: list[str], hidden: set[str], limits: Limits) -> None:
    """Refuse a change that is too large, has a name the policy does not allow, or would hit a file not
    shown.
    """
    inspection = _Inspection(limits)
    if len(changed) + len(removed) > limits.changed:
        inspection.refuse(".", f"changes {len(changed) + len(removed)} files, more than {limits.changed}")
    occupied = {fold(path) for path in hidden}
    for path, data in changed.items():
        folded = fold(path)
        above = {folded.rsplit("/", n)[0] for n in range(1, folded.count("/") + 1)}
        if problem := _path_refused(path, limits) or _content_problem(data):
            inspection.refuse(path, problem)
        elif (above | {folded}) & occupied or any(name.startswith(f"{folded}/") for name in occupied):
            inspection.refuse(path, "would replace a file of the person's that a worker is never shown")
    if inspection.problems:
        raise RefusedError(*inspection.problems, hint="Nothing of this reflection was imported.")


def _path_refused(path: str, limits: Limits) -> str | None:
    if path.count("/") > limits.depth:
        return f"deeper than {limits.depth} folders"
    return path_problem(path) or _extension_problem(path, limits)


def _extension_problem(path: str, limits: Limits) -> str | None:
    extension = PurePosixPath(path).suffix.lower()
    return None if extension in limits.extensions else f"extension {extension!r} is not allowed"


def _content_problem(data: bytes) -> str | None:
    if b"\0" in data:
        return "is binary (has a NUL byte)"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "is not valid UTF-8 text"
    return None


def _quoted(path: str) -> bytes:
    """A path as fast-import reads it (names with quotes and control characters were refused before)."""
    return b'"' + path.encode().replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
