"""Where a durable record's memory file stands: by its scope, its type, its path and its first words."""

import hashlib

from slowwave.memory import layout
from slowwave.memory.names import path_problem
from slowwave.model import MemoryType
from slowwave.projects import slugify
from slowwave.store.records import Record

# The routing contract: nearly every turn needs it, a stated condition calls for it, or it is read on demand.
SECTION_OF = {
    MemoryType.IDENTITY: "system",
    MemoryType.PROCEDURAL: "skills",
    MemoryType.SEMANTIC: "reference",
}
_DEEPEST = 3  # folders of a path that become folders on disk


def section(scope: str, name: str = "reference") -> str:
    """The folder of memory files of a scope ("" = everywhere, else a project's folder name)."""
    return f"{layout.project_folder(slugify(scope))}/{name}" if scope else name


def file_of(record: Record) -> str:
    """The memory file of a record; a mark of its id keeps it apart from others with the same first words."""
    words = " ".join(record.content.removeprefix("Asked: ").split()[:6])
    mark = hashlib.sha256(record.id.encode()).hexdigest()[:8]
    base = section(record.scope, SECTION_OF[record.type])
    if record.type is MemoryType.PROCEDURAL:
        return _allowed(
            f"{base}/{slugify(words)}-{mark}/{layout.SKILL_FILE}", f"{base}/{mark}/{layout.SKILL_FILE}"
        )
    if record.path.endswith(".md"):
        return record.path
    folders = [slugify(part) for part in record.path.split("/") if part][:_DEEPEST]
    folder = "/".join([base, *folders]) if folders or record.type is MemoryType.IDENTITY else f"{base}/facts"
    return _allowed(f"{folder}/{slugify(words)}-{mark}.md", f"{base}/facts/{mark}.md")


def _allowed(path: str, otherwise: str) -> str:
    """A path memory may have: words of any language can make a name too long, or one that Windows reserves."""
    return otherwise if path_problem(path) else path
