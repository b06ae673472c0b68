"""What an agent should know at the start of its work: the system memory of the project and of the person.

The project's comes first, and everything must fit a budget, because whatever is injected is paid for in
every turn. What does not fit is named, not cut in half.
"""

from dataclasses import dataclass
from pathlib import Path

from slowwave.memory import layout
from slowwave.memory.walk import memory_files

CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class Context:
    """Markdown to inject, the files it came from, and the files left out for lack of room."""

    text: str
    files: tuple[str, ...]
    left_out: tuple[str, ...]
    tokens: int


def gather(memory: Path, slug: str, token_budget: int) -> Context:
    """Gather `projects/<slug>/system/` and `system/`, and name the skills, within the budget."""
    if not memory.is_dir():
        return Context("", (), (), 0)
    own, person, skills = list[str](), list[str](), list[str]()
    for path, _ in memory_files(memory):
        if slug and path.startswith(f"projects/{slug}/system/"):
            own.append(path)
        elif path.startswith("system/"):
            person.append(path)
        elif path.endswith("/SKILL.md") and path.startswith(("skills/", f"projects/{slug}/skills/")):
            skills.append(path)
    parts, used, left = list[str](), list[str](), list[str]()
    room = token_budget * CHARACTERS_PER_TOKEN
    for path in [*own, *person, *skills]:
        file = layout.parse(path, (memory / path).read_text("utf-8", "replace"))
        is_skill = path.endswith("/SKILL.md")
        part = (
            f"- skill {path}: {file.meta.get('description', '')}"
            if is_skill
            else _without_evidence(file.body)
        )
        if len(part) > room:
            left.append(path)
            continue
        parts.append(part)
        used.append(path)
        room -= len(part)
    text = "\n\n".join(parts)
    return Context(text, tuple(used), tuple(left), len(text) // CHARACTERS_PER_TOKEN)


def _without_evidence(body: str) -> str:
    """An agent needs the rule, not who said it when."""
    kept = [line for line in body.strip().splitlines() if not line.strip().startswith("Evidence:")]
    return "\n".join(kept).strip()
