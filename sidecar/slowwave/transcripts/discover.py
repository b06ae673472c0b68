"""Which transcript files there are: all agents' homes, or what a person pointed at.

The scan is the truth and events only wake it, so `find` lists folders and opens no file but databases, whose
sessions are not files. A path a person
gives may be a copy in any nesting; there the content decides.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from slowwave.errors import TranscriptError, UsageError
from slowwave.home import expanded
from slowwave.transcripts import foreign_sqlite
from slowwave.transcripts.decode import Row, decode
from slowwave.transcripts.formats import FORMATS, documents, openhands, walk
from slowwave.transcripts.formats.protocol import Extent, is_state
from slowwave.transcripts.tail import Line, read_lines

_FIRST_ROWS = 8
_FIRST_BYTES = 1 << 20
_FIRST_DOCUMENT = 4 << 20  # a document may begin with the whole system prompt
_DATABASES = (".db", ".sqlite")
_SUFFIXES = (".jsonl", ".jsonl.zst", ".json", ".md", *_DATABASES)


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A session and the name of its format.

    path  its file; for a session in a database `<database>/<session id>`, for a folder of events the folder
    """

    path: Path
    format_name: str

    def extent(self) -> Extent:
        """How far it goes and when it changed last, in the measure of its entries' offsets.

        For a file this is its size and time; a session in a database and a folder of events have their own.
        FileNotFoundError when it is gone, TranscriptError when it cannot be asked.
        """
        fmt = FORMATS[self.format_name]
        return fmt.extent(self.path) if is_state(fmt) else documents.extent(self.path)


def find(
    env: Mapping[str, str],
    home: Path,
    enabled: Iterable[str],
    extra: Mapping[str, tuple[Path, ...]] | None = None,
) -> Iterator[SessionFile]:
    """Every session file of the enabled agents, in their own homes and in extra folders.

    A folder that is missing holds none; one that cannot be listed is a TranscriptError.
    """
    for name in enabled:
        if name not in FORMATS:
            raise UsageError(f"unknown source {name!r}", hint=f"known sources: {', '.join(FORMATS)}")
        fmt = FORMATS[name]
        roots = (*fmt.roots(env, home), *(extra or {}).get(name, ()))
        seen: set[Path] = set()
        for root in roots:
            for path in fmt.discover(root):
                if path not in seen:
                    seen.add(path)
                    yield SessionFile(path, name)


def from_argument(argument: str, env: Mapping[str, str], home: Path) -> tuple[SessionFile, ...]:
    """The files an argument names: `SOURCE`, `SOURCE:PATH` or `path:PATH`."""
    source, colon, where = argument.partition(":")
    if source != "path" and source not in FORMATS:
        known = ", ".join([*FORMATS, "path"])
        raise UsageError(f"unknown source {source!r}", hint=f"known sources: {known}")
    if not where:
        if source == "path" or colon:
            raise UsageError(f"{argument!r} names no path", hint=f"write {source}:/some/folder")
        return tuple(find(env, home, (source,)))
    return at(Path(where), None if source == "path" else source)


def at(path: Path, source: str | None = None) -> tuple[SessionFile, ...]:
    """The files a path a person typed names, itself or below it, of one source or of any.

    UsageError when it is missing or nothing in it is recognised, TranscriptError when it cannot be read.
    """
    path = expanded(path)
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError) as exc:
        raise UsageError(f"there is no file or folder {path}") from exc
    except OSError as exc:
        raise TranscriptError(f"cannot read {path}: {exc.strerror}") from exc
    found = _below(path, source)
    if not found:
        what = f"{source} transcript" if source else "transcript"
        raise UsageError(f"no {what} was recognised in {path}", hint=f"known formats: {', '.join(FORMATS)}")
    return found


def at_any(paths: Iterable[Path]) -> tuple[SessionFile, ...]:
    """The files of several such paths, each once."""
    return tuple(dict.fromkeys(file for path in paths for file in at(path)))


def _below(path: Path, source: str | None) -> tuple[SessionFile, ...]:
    root = path.resolve()  # a link the person typed is meant; links found below it are not followed
    found: dict[Path, SessionFile] = {}
    for file in [root] if root.is_file() else walk.files(root, lambda name: name.endswith(_SUFFIXES)):
        name = recognise(file)
        if name is None or source not in {None, name}:
            continue
        # A database holds many sessions; what is found below it by name are their paths.
        for session in FORMATS[name].discover(file) if FORMATS[name].SHAPE == "database" else (file,):
            found[session] = SessionFile(session, name)
        if file not in found and FORMATS[name].SHAPE == "database" and file.suffix not in _DATABASES:
            found[file] = SessionFile(file, name)
    if source in {None, openhands.NAME} and root.is_dir():
        found.update({p: SessionFile(p, openhands.NAME) for p in openhands.discover(root)})
    return tuple(found.values())


def recognise(path: Path) -> str | None:
    """The name of the format a file is written in, by its first rows; None when it is none of ours."""
    try:
        rows = first_rows(path)
    except FileNotFoundError as exc:
        raise TranscriptError(f"cannot read {path}: it is gone") from exc
    shapes = {"database"} if path.suffix in _DATABASES else {"whole", "database"}
    if path.suffix not in {".json", *_DATABASES}:
        shapes.add("lines")
    return next(
        (name for name, fmt in FORMATS.items() if fmt.SHAPE in shapes and fmt.recognises(path, rows)), None
    )


def first_rows(path: Path) -> list[Row]:
    """The rows a file starts with; of a document and a database a header comes first."""
    if path.suffix in _DATABASES:
        try:
            return [{"header": {"tables": foreign_sqlite.tables(path)}}]
        except TranscriptError:
            return []  # not one of SQLite's, or damaged: no session can be told from it
    if path.suffix == ".json":
        data = b"".join(line.data or b"" for line in _first_lines(path, _FIRST_DOCUMENT))
        header, found, _ = documents.elements(
            data, lambda row: bool({"role", "type", "kind", "info"} & row.keys())
        )
        return [{"header": header}, *(row.row for row in found[:_FIRST_ROWS])]
    rows: list[Row] = []
    for line in _first_lines(path, _FIRST_BYTES):
        if path.suffix == ".md":
            return [{"markdown": (line.data or b"").decode("utf-8", "replace")}]
        rows.extend(decode(line)[0])
        if len(rows) >= _FIRST_ROWS:
            break
    return rows


def _first_lines(path: Path, limit: int) -> Iterator[Line]:
    for line in read_lines(path, max_line=limit, keep_partial=True):
        yield (
            line._replace(data=line.data + b"\n")
            if line.data is not None and path.suffix == ".json"
            else line
        )
        if line.end > limit:
            return
