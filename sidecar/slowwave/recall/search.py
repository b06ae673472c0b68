"""Turns a question into ranked hits: plain full text for now, with the reasons of the ranking.

The query is an OR over the words that carry meaning: measured on public conversation sets, that with Porter
stemming finds more than any stricter query. The project's own memory comes first, then the person's.
"""

import fnmatch
import re
from dataclasses import dataclass
from pathlib import Path

from slowwave.model import Hit, MemoryType
from slowwave.recall import index
from slowwave.store import passages
from slowwave.store.database import Database

OWN_PROJECT_BOOST = 1.25
# Words that match everything and mean nothing; the usual short English list.
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at be been but by can did do does for from had has have how i if in into is it its me
        my of on or our should that the their them then there these they this to us was we were what when where
        which who why will with would you your""",
    )
)


@dataclass(frozen=True)
class Question:
    """What is asked. `project` is a slug, or "" for every project."""

    text: str
    limit: int = 8
    type: str = ""
    path: str = ""
    project: str = ""


def words_of(text: str) -> list[str]:
    """The words of a question that carry meaning; all of them when none does."""
    words = [w.casefold() for w in re.findall(r"\w+", text)]
    return list(dict.fromkeys(w for w in words if w not in STOP_WORDS)) or list(dict.fromkeys(words))


def search(db: Database, memory: Path, question: Question) -> list[Hit]:
    """Ranked hits for a question, best first. Another project's memory is never among them."""
    index.refresh(db, memory)
    words = words_of(question.text)
    if not words:
        return []
    query = " OR ".join(f'"{w}"' for w in words)
    hits = []
    for found in passages.match(db, query, limit=max(200, question.limit * 8)):
        p = found.passage
        owner = p.path.split("/")[1] if p.path.startswith("projects/") else ""
        if (
            (question.project and owner not in {"", question.project})
            or (question.type and p.type != question.type)
            or (question.path and not fnmatch.fnmatch(p.path, question.path))
            or "/untrusted/" in f"/{p.path}"
        ):
            continue
        own = bool(question.project) and owner == question.project
        text = f"{p.path} {p.heading} {p.text}".casefold()
        why = tuple(f"word {w}" for w in words if w[:4] in text) + (("this project",) if own else ())
        score = found.score * (OWN_PROJECT_BOOST if own else 1.0)
        kind = MemoryType(p.type) if p.type in list(MemoryType) else MemoryType.SEMANTIC
        hits.append(Hit(str(found.id), p.path, kind, p.text, round(score, 4), why, p.source, p.updated_at))
    hits.sort(key=lambda h: (-h.score, h.path, h.id))
    return hits[: question.limit]
