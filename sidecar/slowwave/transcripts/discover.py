"""Which transcript files there are: all agents' homes, or what a person pointed at.

The scan is the truth and events only wake it, so `find` lists folders and opens nothing. A path a person
gives may be a copy in any nesting; there the content decides.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from slowwave.errors import TranscriptError, UsageError
from slowwave.transcripts.decode import Row, decode
from slowwave.transcripts.formats import FORMATS, walk
from slowwave.transcripts.tail import read_lines

_FIRST_ROWS = 8
_FIRST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A transcript file and the name of its format."""

    path: Path
    format_name: str


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
    path = Path(where).expanduser()
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError) as exc:
        raise UsageError(f"there is no file or folder {path}") from exc
    except OSError as exc:
        raise TranscriptError(f"cannot read {path}: {exc.strerror}") from exc
    found = _below(path, None if source == "path" else source)
    if not found:
        what = "transcript" if source == "path" else f"{source} transcript"
        raise UsageError(f"no {what} was recognised in {path}", hint=f"known formats: {', '.join(FORMATS)}")
    return found


def _below(path: Path, source: str | None) -> tuple[SessionFile, ...]:
    root = path.resolve()  # a link the person typed is meant; links found below it are not followed
    candidates = [root] if root.is_file() else list(walk.files(root, lambda name: name.endswith(".jsonl")))
    found = ((file, recognise(file)) for file in candidates)
    return tuple(SessionFile(f, name) for f, name in found if name and source in {None, name})


def recognise(path: Path) -> str | None:
    """The name of the format a file is written in, by its first rows; None when it is none of ours."""
    rows: list[Row] = []
    try:
        for line in read_lines(path, max_line=_FIRST_BYTES, keep_partial=True):
            rows.extend(decode(line)[0])
            if len(rows) >= _FIRST_ROWS or line.end > _FIRST_BYTES:
                break
    except FileNotFoundError as exc:
        raise TranscriptError(f"cannot read {path}: it is gone") from exc
    return next((name for name, fmt in FORMATS.items() if fmt.recognises(path, rows)), None)
