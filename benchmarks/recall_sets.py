"""Public sets with evidence labels, as documents and questions. The data is no part of the project."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from slowwave.recall import index, words
from slowwave.store.documents import RECORD, Document

_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_DAY = re.compile(r"(\d+) (\w{3})\w*, (\d+)")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the refs of the documents that answer it. `counted` is false for the adversarial ones."""

    text: str
    evidence: frozenset[str]
    counted: bool = True


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is searched at once, and what is asked of it."""

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Asked, ...]


def locomo(data: Path) -> Iterator[Corpus]:
    """LoCoMo: ten long conversations, each its own corpus; a turn is a document, with its speaker and its day."""
    for conversation in json.loads((data / "locomo10.json").read_text("utf-8")):
        said = conversation["conversation"]
        turns: list[Document] = []
        for session in range(1, 1000):
            if f"session_{session}" not in said:
                continue
            day = _day(said[f"session_{session}_date_time"])
            for position, turn in enumerate(said[f"session_{session}"]):
                text = f"{turn['text']} {turn.get('blip_caption', '')}".strip()
                turns.append(
                    _turn(turn["dia_id"], text, day, f"s{session}", position, author=turn["speaker"])
                )
        known = {d.ref for d in turns}
        asked = []
        for question in conversation["qa"]:
            found = {f"D{a}:{b}" for e in question["evidence"] for a, b in _EVIDENCE.findall(e)} & known
            if found:
                asked.append(Asked(question["question"], frozenset(found), question["category"] < 5))
        yield Corpus(conversation["sample_id"], tuple(turns), tuple(asked))


def cosqa(data: Path) -> Iterator[Corpus]:
    """CoSQA: questions in plain words, one Python function answers each."""
    codes = json.loads((data / "cosqa" / "code_idx_map.txt").read_text("utf-8"))
    found = tuple(_turn(str(n), code, "", "", 0) for code, n in codes.items())
    test = json.loads((data / "cosqa" / "cosqa-retrieval-test-500.json").read_text("utf-8"))
    asked = tuple(Asked(q["doc"], frozenset({str(q["retrieval_idx"])})) for q in test)
    yield Corpus("test", found, asked)


def dreambench(data: Path) -> Iterator[Corpus]:
    """dreambench: what a perfect dream would have learned of each project, and what a later session asks."""
    for folder in sorted((data.parent / "dreambench" / "dev").iterdir()):
        if not (folder / "expected.json").is_file():
            continue
        expected = json.loads((folder / "expected.json").read_text("utf-8"))
        found: list[Document] = []
        for item in (i for i in expected["learn"] if i.get("final", True)):
            body = f"---\ndescription: {item['kind']}\n---\n- {item['statement']}\n"
            note = index.cut(f"projects/p/reference/{item['id']}.md", body)[1]
            found.append(note)
        asked = tuple(
            Asked(q["q"], frozenset(f"projects/p/reference/{i}.md" for i in q["ids"]))
            for q in expected["queries"]
        )
        yield Corpus(folder.name, tuple(found), asked)


SETS = {"locomo": locomo, "cosqa": cosqa, "dreambench": dreambench}


def _turn(ref: str, text: str, day: str, session: str, position: int, *, author: str = "") -> Document:
    return Document(
        *(RECORD, ref, "", "", "episodic", text, "", day, "", session, position, author, 0.5, 0.5, "", ""),
        words=words.indexed(author, words.dated(day), text),
    )


def _day(text: str) -> str:
    match = _DAY.search(text)
    assert match, text
    return datetime.strptime(" ".join(match.groups()), "%d %b %Y").replace(tzinfo=UTC).date().isoformat()
