"""Fits the table of `dream/weights.py`: `python -m benchmarks.fit_weights FOLDER…`.

Each FOLDER holds labelled projects as dreambench has them. A person's sentence is an example: it lasts when it bears
out an item of its own turn, it does not when its turn has none. The tuning half of `phrasings` is added. Weights are
those of a logistic regression with a little pull to zero, by plain gradient descent; rounded to a tenth they are
printed as the table writes them, with recall and precision of the sentences of projects that a fold left out.
"""

import argparse
import importlib.util
import json
import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.dreambench import SCORER
from benchmarks.phrasings import phrasings
from benchmarks.phrasings import said as told
from slowwave.dream import weights
from slowwave.dream.said import prompts
from slowwave.dream.signals.heard import hear
from slowwave.dream.speech import sentences
from slowwave.model import SessionKind
from slowwave.transcripts.formats import FORMATS
from slowwave.transcripts.redact import Redactor
from slowwave.transcripts.snapshot import take

FOLDS = 8
PULL, RATE, ROUNDS = 0.002, 1.2, 200
LEAST = 0.15
"""A smaller weight is none: it says nothing that the rounding does not drown."""


@dataclass(frozen=True)
class Example:
    """A sentence: where it is from, what it shows, what it is ("" when it does not last), how much it counts."""

    project: str
    notions: frozenset[str]
    kind: str
    counts: float


Weights = tuple[dict[str, float], float]


def labelled(folder: Path) -> Iterator[Example]:
    """The sentences of every project of a folder."""
    spec = importlib.util.spec_from_file_location("score_dream", SCORER)
    if spec is None or spec.loader is None:
        raise SystemExit(f"no scorer at {SCORER}")
    scorer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scorer)
    for path in sorted(folder.glob("*/expected.json")):
        yield from _of_project(json.loads(path.read_text("utf-8")), path.parent / "claude-code", scorer.hits)


def _of_project(expected: dict[str, Any], root: Path, hits: Callable[..., list[bool]]) -> Iterator[Example]:
    numbers = {Path(x["claude-code"]).stem: x["index"] for x in expected["sessions"]}
    redactor = Redactor(b"k" * 32)
    for path in sorted(root.rglob("*.jsonl")):
        snapshot = take(path, FORMATS["claude-code"], redactor, 0, 9999)
        if snapshot.session.kind is not SessionKind.MAIN:
            continue
        for said in prompts(snapshot):
            here = (numbers.get(snapshot.session.session_id), said.moment.turn.number, "user")
            items = [
                x for x in expected["learn"]
                if any((e["session"], e["turn"], e["role"]) == here for e in x["evidence"])
            ]  # fmt: skip
            for sentence in sentences(said.entry.text):
                borne = [x for x in items if any(hits(x["match"], sentence.text))]
                fair = any(any(hits(x["match"], sentence.text)) for x in expected.get("neutral", []))
                if (items and not borne) or fair or "[redacted:" in said.entry.text:
                    continue
                kind = borne[0]["kind"] if borne else ""
                yield Example(expected["project"], hear(sentence, said).notions, kind, 1.5 if kind else 1.0)


def phrased() -> Iterator[Example]:
    """The sentences of the phrasings that may be fitted to."""
    for one in phrasings():
        if one.tuning:
            said = list(prompts(told(one.prompt)))[-1]
            for heard in (hear(sentence, said) for sentence in sentences(one.prompt)):
                if not one.kind or one.words.lower() in heard.sentence.text.lower():
                    yield Example("", heard.notions, one.kind, 0.6)


def fit(examples: Sequence[Example], wanted: Callable[[Example], bool]) -> Weights:
    """Logistic weights and the bias, by gradient descent over all examples at once."""
    table: dict[str, float] = defaultdict(float)
    bias = 0.0
    names = sorted({name for one in examples for name in one.notions})
    for _ in range(ROUNDS):
        slope: dict[str, float] = defaultdict(float)
        tilt = 0.0
        for one in examples:
            z = bias + math.fsum(table[name] for name in one.notions)
            error = (1 / (1 + math.exp(-z)) - wanted(one)) * one.counts
            tilt += error
            for name in one.notions:
                slope[name] += error
        bias -= RATE * tilt / len(examples)
        for name in names:
            table[name] -= RATE * (slope[name] / len(examples) + PULL * table[name])
    return dict(table), bias


def folds(examples: Sequence[Example], more: Sequence[Example]) -> list[tuple[float, bool]]:
    """Every example with its log odds by weights that never saw its project."""
    projects = sorted({one.project for one in examples})
    random.Random(1).shuffle(projects)
    found = []
    for n in range(FOLDS):
        out = set(projects[n::FOLDS])
        kept = [one for one in examples if one.project not in out]
        table, bias = fit([*kept, *more], lambda one: bool(one.kind))
        found += [
            (bias + math.fsum(table.get(name, 0.0) for name in one.notions), bool(one.kind))
            for one in examples if one.project in out
        ]  # fmt: skip
    return found


def _show(name: str, fitted: Weights, least: float) -> None:
    table, bias = fitted
    ranked = sorted(table.items(), key=lambda pair: (-pair[1], pair[0]))
    print(f"\n{name}, bias {bias:.1f}")
    print("  " + ", ".join(f'"{word}": {weight:.1f}' for word, weight in ranked if abs(weight) >= least))


def _is(kind: str) -> Callable[[Example], bool]:
    return lambda one: one.kind == kind


def main() -> None:
    """Fit, and print the folds and the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fit_weights", description="Fit the weights.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    examples = [one for folder in parser.parse_args().folders for one in labelled(folder)]
    more = list(phrased())
    print(f"{len(examples)} sentences, {sum(bool(x.kind) for x in examples)} last; {len(more)} of phrasings")
    scored = folds(examples, more)
    for limit in (-0.5, 0.0, 0.5, 1.0):
        taken = [lasts for odds, lasts in scored if odds >= limit]
        recall = sum(taken) / sum(lasts for _, lasts in scored)
        print(f"left out, log odds {limit:+.1f}: recall {recall:.2f} precision {sum(taken) / len(taken):.2f}")
    everything = [*examples, *more]
    _show("LASTING", fit(everything, lambda one: bool(one.kind)), LEAST)
    lasting = [one for one in everything if one.kind]
    for kind in weights.KINDS:
        _show(f"KINDS {kind}", fit(lasting, _is(kind)), 2 * LEAST)


if __name__ == "__main__":
    main()
