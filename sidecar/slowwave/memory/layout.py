"""The shape of a memory file: text in, values out, and back again without losing a byte.

A memory file is markdown with a YAML head. Its list items are the entries of memory, and below each stands the
evidence it was learned from, so that a person reading it in an editor sees why it is there:

    - Run `make check` before reporting work as done.
      Evidence: claude-code 48ab2340 turn 2, user, 2026-02-02, seal 1f0c9a2b: "and run the checks"

The seal is a digest of the text above it. A line whose seal no longer fits was edited by a person, and a line
without one was written by a person: the machine never changes either.

Doorway 3, the format half: no file is opened here. Imports `model` only, and is the one importer of PyYAML.
"""

import copy
import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import lru_cache
from typing import Any

import yaml

from slowwave.model import Author, Evidence, MemoryType

SECTIONS = ("system", "reference", "skills")
SYSTEM_BUDGET = 8 * 1024
"""Bytes all `system/` files of one level may take together: they are in the context of every turn."""

PROJECTS = "projects"
SKILL_FILE = "SKILL.md"

_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM = re.compile(r"^([ \t]*)(?:[-*+]|\d{1,3}[.)])[ \t]+(.*)$")
_FENCE = re.compile(r"^\s*(```|~~~)")
_EVIDENCE_LINE = re.compile(r"^\s*Evidence:\s*(.*)$")
_EVIDENCE = re.compile(
    r"(?P<source>\S+) (?P<session>\S+) turn (?P<turn>\d+), (?P<role>\w+)"
    r"(?:, (?P<on>\d{4}-\d\d-\d\d))?(?:, seal (?P<seal>[0-9a-f]{8}))?: (?P<quote>\"(?:[^\"\\]|\\.)*\")",
)
ROLE_WORDS: dict[Author, str] = {
    Author.HUMAN: "user",
    Author.AGENT: "assistant",
    Author.TOOL: "tool",
    Author.HARNESS: "harness",
    Author.SUBAGENT: "subagent",
}
_ROLES = {word: author for author, word in ROLE_WORDS.items()}


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """One memory file. Two files are equal when path, head and body are.

    front  the head as it was written, so that comments and quoting survive when the values did not change
    fault  why the head could not be read; the text is still rendered as it was
    """

    path: str
    meta: Mapping[str, Any]
    body: str
    front: str = field(default="", compare=False, repr=False)
    fault: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of memory: a list item, its continuation lines and its evidence.

    heading   the headings above it, joined by " / "
    text      without marker and evidence; nested lines stay on lines of their own
    raw       exactly the lines `start_line` up to, not including, `end_line` of the body (counted from 0)
    seal      the digest standing in its evidence, "" when there is none
    dates     the day of each evidence, None where none is given
    """

    heading: str
    text: str
    evidence: tuple[Evidence, ...]
    raw: str
    start_line: int
    end_line: int
    seal: str = ""
    dates: tuple[date | None, ...] = ()

    @property
    def untouched(self) -> bool:
        """True when the machine wrote it and no person has changed its text since."""
        return bool(self.seal) and self.seal == seal(self.text)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path lies: `project` is "" for what holds everywhere."""

    project: str
    section: str
    rest: str


# A dream looks through the same few files for each line it may learn.
_REMEMBERED = 64


# ------------------------------------------------------------------ whole files
def split_head(text: str) -> tuple[str, str]:
    """The head of a memory file as it is written, "" when it has none, and the body."""
    match = _FRONT.match(text)
    return (text[: match.end()], text[match.end() :]) if match else ("", text)


def parse(path: str, text: str) -> MemoryFile:
    """Read a memory file. A damaged head is reported in `fault`, never dropped."""
    match = _FRONT.match(text)
    if not match:
        return MemoryFile(path, {}, text)
    front, body = split_head(text)
    meta, fault = _values(match.group(1))
    return MemoryFile(path, meta, body, front, fault)


def _values(head: str) -> tuple[dict[str, Any], str]:
    """The values of a head, or why it has none; the caller's own to change."""
    meta, fault = _loaded(head)
    return copy.deepcopy(meta), fault


@lru_cache(_REMEMBERED)
def _loaded(head: str) -> tuple[dict[str, Any], str]:
    try:
        meta = yaml.safe_load(head)
    except (yaml.YAMLError, ValueError) as error:
        return {}, f"frontmatter is not YAML: {_first_line(error)}"
    if meta is None:
        return {}, ""
    if not isinstance(meta, dict) or not all(isinstance(key, str) for key in meta):
        return {}, "frontmatter is not a list of `key: value` lines"
    return meta, ""


def render(file: MemoryFile) -> str:
    """The text of a memory file; the head is written as it was when its values are what they were."""
    kept = _FRONT.match(file.front)
    if kept and (file.fault or _values(kept.group(1))[0] == file.meta):
        return file.front + file.body
    if not file.meta and not file.body.startswith("---"):
        return file.body
    return f"---\n{_head(dict(file.meta))}---\n{file.body}"


def _head(meta: dict[str, Any]) -> str:
    """The lines of a head. A width beyond any line keeps one key on one line, as people write them."""
    if not meta:
        return ""
    head = yaml.safe_dump(meta, sort_keys=False, allow_unicode=True, width=1 << 30)
    if _values(head)[0] != meta:  # PyYAML writes some line separators bare and then reads them as white space
        head = yaml.safe_dump(meta, sort_keys=False, allow_unicode=False, width=1 << 30)
    return head


def problems(file: MemoryFile) -> tuple[str, ...]:
    """Everything wrong with a file's head, in words for a person; unknown keys are nobody's business."""
    if file.fault:
        return (f"{file.path}: {file.fault}",)
    found = [f"{key} {why}" for key, why in _wrong_values(file.meta)]
    description = file.meta.get("description")
    if not isinstance(description, str) or not description.strip():
        found.insert(0, "description is missing")
    if file.path.rsplit("/", 1)[-1] == SKILL_FILE:
        folder = file.path.split("/")[-2] if "/" in file.path else ""
        if file.meta.get("name") != folder:
            found.append(f"name must be the skill's folder name, {folder!r}")
    return tuple(f"{file.path}: {each}" for each in found)


def _wrong_values(meta: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Known keys with values of the wrong kind."""
    wrong = []
    for key, value in meta.items():
        if key in {"importance", "confidence"}:
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not 0 <= value <= 1:
                wrong.append((key, "must be a number from 0 to 1"))
        elif key == "type":
            if value not in set(MemoryType):
                wrong.append((key, f"must be one of {', '.join(MemoryType)}"))
        elif key in {"created", "updated", "expires"}:
            if not _is_time(value):
                wrong.append((key, "must be a date such as 2026-02-02"))
        elif key in {"pinned", "read_only"}:
            if not isinstance(value, bool):
                wrong.append((key, "must be true or false"))
        elif key == "semantic_key":
            if not isinstance(value, str):
                wrong.append((key, "must be text"))
        elif key == "sources" and not (isinstance(value, list) and all(isinstance(v, str) for v in value)):
            wrong.append((key, "must be a list of texts"))
    return wrong


def _is_time(value: object) -> bool:
    if isinstance(value, date):
        return True
    try:
        datetime.fromisoformat(str(value))
    except ValueError:
        return False
    return True


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0]


# ------------------------------------------------------------------ entries
@lru_cache(_REMEMBERED)
def items(body: str) -> tuple[Item, ...]:
    """The list items of a body in order; an indented item belongs to the one above it."""
    lines = body.split("\n")
    found: list[Item] = []
    headings: list[tuple[int, str]] = []
    fenced, at = False, 0
    while at < len(lines):
        line = lines[at]
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and (heading := _HEADING.match(line)):
            level = len(heading.group(1))
            headings = [h for h in headings if h[0] < level] + [(level, heading.group(2))]
        elif not fenced and _ITEM.match(line):
            end = _item_end(lines, at)
            found.append(_item(lines[at:end], at, " / ".join(text for _, text in headings)))
            at = end
            continue
        at += 1
    return tuple(found)


def paragraphs(body: str, entries: tuple[Item, ...]) -> tuple[str, ...]:
    """What stands outside the entries: paragraphs and code, without headings and blank lines."""
    taken = {line for item in entries for line in range(item.start_line, item.end_line)}
    found: list[list[str]] = [[]]
    for number, line in enumerate(body.split("\n")):
        if number in taken or not line.strip() or _HEADING.match(line):
            found.append([])
        else:
            found[-1].append(line.strip())
    return tuple("\n".join(lines) for lines in found if lines)


def _item_end(lines: list[str], start: int) -> int:
    """The line after an item: it ends at the next item of its own depth, a heading, or unindented text."""
    first = _ITEM.match(lines[start])
    depth = len(first.group(1).expandtabs(4)) if first else 0
    end, fenced = start + 1, False
    for at in range(start + 1, len(lines)):
        line = lines[at]
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            continue
        if not fenced and indent <= depth and not _EVIDENCE_LINE.match(line):
            break
        if _FENCE.match(line):
            fenced = not fenced
        end = at + 1
    return end


def _item(lines: list[str], start: int, heading: str) -> Item:
    first = _ITEM.match(lines[0])
    text = [first.group(2).strip() if first else lines[0].strip()]
    evidence: list[Evidence] = []
    dates: list[date | None] = []
    mark = ""
    for line in lines[1:]:
        if cited := _EVIDENCE_LINE.match(line):
            for match in _EVIDENCE.finditer(cited.group(1)):
                mark = mark or match["seal"] or ""
                if (one := _evidence(match)) is not None:
                    evidence.append(one)
                    dates.append(_day(match["on"]))
        else:
            text.append(line.strip())
    return Item(
        heading,
        "\n".join(text).strip(),
        tuple(evidence),
        "\n".join(lines),
        start,
        start + len(lines),
        mark,
        tuple(dates),
    )


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None  # a person typed a day that is none


def _evidence(match: re.Match[str]) -> Evidence | None:
    try:
        quote = json.loads(match["quote"])
    except ValueError:
        return None  # a person broke the quoting; the line then cites nothing
    role = _ROLES.get(match["role"])
    return Evidence(match["source"], match["session"], int(match["turn"]), role, quote) if role else None


def seal(text: str) -> str:
    """The digest that shows whether a person has changed a line; white space does not count."""
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def evidence_line(evidence: Evidence, on: date | None = None, sealed: str = "") -> str:
    """One evidence as it stands below its item. `items` reads it back."""
    parts = f"{evidence.source} {evidence.session_id} turn {evidence.turn}, {ROLE_WORDS[evidence.role]}"
    parts += f", {on.isoformat()}" if on else ""
    parts += f", seal {sealed}" if sealed else ""
    return f"  Evidence: {parts}: {_quoted(evidence.quote)}"


def _quoted(quote: str) -> str:
    """A quote on one line: JSON escapes, and the separators that some readers take for line ends too."""
    text = json.dumps(quote, ensure_ascii=False)
    return re.sub("[\x7f-\x9f\u2028\u2029]", lambda m: f"\\u{ord(m.group()):04x}", text)


def learned_item(text: str, evidence: tuple[tuple[Evidence, date | None], ...]) -> str:
    """A learned line with its evidence, sealed. Further lines of the text are indented below the first."""
    first, *rest = text.split("\n")
    lines = [f"- {first}", *(f"  {line}" for line in rest)]
    for number, (each, on) in enumerate(evidence):
        lines.append(evidence_line(each, on, "" if number else seal(text)))
    return "\n".join(lines)


# ------------------------------------------------------------------ paths
def project_folder(slug: str) -> str:
    """The folder of one project's memory."""
    return f"{PROJECTS}/{slug}"


def place(path: str) -> Place | None:
    """What a path of the memory repository means; None when memory has no such place."""
    parts = path.split("/")
    if any(part in {"", ".", ".."} or part.startswith(".git") for part in parts):
        return None
    project = ""
    if parts[0] == PROJECTS and len(parts) > 2:
        project, parts = parts[1], parts[2:]
    if len(parts) < 2 or parts[0] not in SECTIONS:
        return None
    return Place(project, parts[0], "/".join(parts[1:]))


def skill_path(name: str, project: str = "") -> str:
    """The path of a skill's file."""
    return (
        f"{project_folder(project)}/skills/{name}/{SKILL_FILE}" if project else f"skills/{name}/{SKILL_FILE}"
    )


def system_size(files: Mapping[str, str], project: str = "") -> int:
    """Bytes of all system files of one level (the root, or one project)."""
    total = 0
    for path, text in files.items():
        where = place(path)
        if where and where.section == "system" and where.project == project:
            total += len(text.encode())
    return total


def slugify(name: str) -> str:
    """A folder name: lower case letters and digits of any script, joined by single hyphens."""
    folded = unicodedata.normalize("NFKC", name).lower()
    slug = re.sub(r"[\W_]+", "-", folded).strip("-")[:60].strip("-")
    return slug or "unnamed"
