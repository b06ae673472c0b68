"""What recall finds, on public sets with evidence labels: `python -m benchmarks.recall --data DIR [--sets …] [--json]`.

Beside it stands plain full text in the same run: SQLite FTS5, Porter stems, an OR of the words that carry
meaning, best BM25 first. `slowwave` ranks with the weights that are shipped, which were fitted on LoCoMo; what
counts there is `slowwave_held_out`, in which every conversation is ranked by weights fitted on the other folds
(it needs NumPy). Recall is the share of the evidence found, averaged over questions.
"""

import argparse
import json
import math
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.processes import ROOT
from benchmarks.recall_sets import SETS, Asked, Corpus
from benchmarks.tables import Row, Table
from benchmarks.worlds import Worlds
from slowwave.recall import ranking, search, weights, words
from slowwave.recall.answers import ignore_progress, never
from slowwave.store import documents
from slowwave.store.database import Database

if TYPE_CHECKING:
    from slowwave.recall.vectors import Vectors

DATA = ROOT.parent / "shared" / "data" / "recall"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
DEPTH = 60
FOLDS = 5
CACHE = ROOT / ".bench" / "vectors"
FITTED = ("words", "author", "session", "question", "phrase", "around", "length", "answers")
# The least that a set must show (recall@10 of counted questions; session recall@5 of all).
FLOORS = {
    ("locomo", "turn_recall@10"): 70.0,
    ("locomo", "session_recall@5"): 87.0,
    ("dreambench", "turn_recall@5"): 85.0,
}
Rank = Callable[[Asked], list[str]]
Indexed = tuple[Corpus, Database, "Vectors | None"]


@dataclass
class Scores:
    """Figures of one system on one set, question by question."""

    by_name: dict[str, list[float]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)

    def add(self, name: str, value: float) -> None:
        """Note one question's figure."""
        self.by_name.setdefault(name, []).append(value)

    def means(self) -> dict[str, float]:
        """Every figure in percent, and the latency in milliseconds."""
        found = {n: 100 * sum(v) / len(v) for n, v in self.by_name.items()}
        times = sorted(self.seconds)
        found["p50_ms"] = 1000 * times[len(times) // 2]
        found["p95_ms"] = 1000 * times[int(len(times) * 0.95)]
        return {n: round(v, 2) for n, v in found.items()}


def score(corpora: Sequence[tuple[Corpus, Rank]]) -> dict[str, float]:
    """Ask every question of every corpus."""
    scores = Scores()
    for corpus, rank in corpora:
        session_of = {d.ref: d.session for d in corpus.documents}
        for asked in corpus.questions:
            begun = time.perf_counter()
            ranked = rank(asked)
            scores.seconds.append(time.perf_counter() - begun)
            if asked.counted:
                _turns(scores, ranked, asked)
            _sessions(scores, [session_of[r] for r in ranked], {session_of[r] for r in asked.evidence})
    return scores.means()


def _turns(scores: Scores, ranked: list[str], asked: Asked) -> None:
    places = [n for n, ref in enumerate(ranked) if ref in asked.evidence]
    for k in (5, 10):
        scores.add(f"turn_recall@{k}", sum(p < k for p in places) / len(asked.evidence))
    scores.add("any_hit@10", float(any(p < 10 for p in places)))
    gain = sum(1 / math.log2(p + 2) for p in places if p < 10)
    scores.add("ndcg@10", gain / sum(1 / math.log2(n + 2) for n in range(min(10, len(asked.evidence)))))
    scores.add("mrr", 1 / (places[0] + 1) if places else 0.0)


def _sessions(scores: Scores, ranked: list[str], wanted: set[str]) -> None:
    """Sessions in the order of their best three turns, the second and third at a half and a quarter."""
    if not any(wanted):
        return
    places: dict[str, list[int]] = {}
    for n, session in enumerate(ranked):
        places.setdefault(session, []).append(n)
    worth = {
        s: sum(w / (10 + p) for w, p in zip((1, 0.5, 0.25), found, strict=False))
        for s, found in places.items()
    }
    order = sorted(worth, key=lambda s: -worth[s])
    for k in (5, 10):
        scores.add(f"session_recall@{k}", len(wanted & set(order[:k])) / len(wanted))


# ------------------------------------------------------------------ the systems
def slowwave(index: Database, table: Mapping[str, float], vectors: "Vectors | None") -> Rank:
    """Recall with a table of weights."""

    def rank(asked: Asked) -> list[str]:
        seen = search.gather(index, search.Question(asked.text), vectors=vectors)
        ranked = ranking.rank(asked.text, seen, project="", now=NOW, table=table)
        return [r.document.ref for r in ranked[:DEPTH]]

    return rank


def bm25_floor(corpus: Corpus) -> Rank:
    """Plain full text in SQLite, with the author in the text."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE plain USING fts5(words, tokenize = 'porter unicode61')")
    db.executemany(
        "INSERT INTO plain (rowid, words) VALUES (?, ?)",
        ((n, f"{d.author} {d.text}") for n, d in enumerate(corpus.documents)),
    )

    def rank(asked: Asked) -> list[str]:
        meant = [w for w in words.plain_words(asked.text) if w not in words.STOP_WORDS]
        query = " OR ".join(f'"{w}"' for w in meant or words.plain_words(asked.text))
        if not query:
            return []
        sql = "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT ?"
        return [corpus.documents[n].ref for (n,) in db.execute(sql, (query, DEPTH))]

    return rank


def fit(indexed: Iterable[Indexed]) -> dict[str, float]:
    """Weights by logistic regression over the candidates of every counted question (Newton's method)."""
    import numpy as np

    indexed = list(indexed)
    fitted = FITTED + (("meaning",) if indexed[0][2] else ())
    rows, labels, shares = [], [], []
    for corpus, index, vectors in indexed:
        for asked in (q for q in corpus.questions if q.counted):
            seen = search.gather(index, search.Question(asked.text), vectors=vectors)
            for document, features in ranking.measure(asked.text, seen, project="", now=NOW):
                rows.append([features[n] for n in fitted] + [1.0])
                labels.append(float(document.ref in asked.evidence))
                shares.append(1 / len(asked.evidence))
    x, y, share = np.array(rows), np.array(labels), np.array(shares)
    w = np.zeros(x.shape[1])
    ridge = np.diag([1.0] * len(fitted) + [0.0])
    for _ in range(25):
        p = 1 / (1 + np.exp(-(x @ w)))
        gradient = x.T @ (share * (p - y)) + ridge @ w
        hessian = (x * (share * p * (1 - p))[:, None]).T @ x + ridge
        step = np.linalg.solve(hessian, gradient)
        w -= step
        if abs(step).max() < 1e-6:
            break
    return weights.WEIGHTS | {n: round(float(v), 3) for n, v in zip(fitted, w, strict=False)}


# ------------------------------------------------------------------ runs
def run(name: str, data: Path, *, semantic: bool = False) -> dict[str, dict[str, float]]:
    """Every system on one set."""
    with tempfile.TemporaryDirectory() as folder:
        indexed = [_indexed(c, Path(folder, f"{n}.db"), None) for n, c in enumerate(SETS[name](data))]
        results = {
            "slowwave": score([(c, slowwave(i, weights.WEIGHTS, v)) for c, i, v in indexed]),
            "bm25_floor": score([(c, bm25_floor(c)) for c, _, _ in indexed]),
        }
        if name == "locomo" and _has_numpy():
            results["slowwave_held_out"] = score(_held_out(indexed))
        if semantic:
            meant = [(c, i, _vectors(i, CACHE / name / c.name)) for c, i, _ in indexed]
            results["slowwave_semantic"] = score([(c, slowwave(i, weights.WEIGHTS, v)) for c, i, v in meant])
            if name == "locomo":
                results["slowwave_semantic_held_out"] = score(_held_out(meant))
        for _, index, _ in indexed:
            index.close()
    return results


def _held_out(indexed: Sequence[Indexed]) -> list[tuple[Corpus, Rank]]:
    """Every conversation, ranked by weights fitted on conversations of the other folds."""
    ranks: list[tuple[Corpus, Rank]] = []
    for fold in range(FOLDS):
        table = fit(p for n, p in enumerate(indexed) if n % FOLDS != fold)
        ranks += [(c, slowwave(i, table, v)) for c, i, v in indexed[fold::FOLDS]]
    return ranks


def _indexed(corpus: Corpus, path: Path, vectors: "Vectors | None") -> Indexed:
    index = documents.open_index(path)
    with index.transaction():
        documents.add(index, corpus.documents)
    return corpus, index, vectors


def _vectors(index: Database, folder: Path) -> "Vectors":
    """The vectors of a corpus, made once: ids are given in the order of the corpus, so they fit again."""
    from slowwave.recall.encoder import Encoder
    from slowwave.recall.vectors import Vectors

    found = Vectors(folder, Encoder())
    found.fill(index, ignore_progress, never)
    return found


def _has_numpy() -> bool:
    try:
        import numpy as np
    except ImportError:
        return False
    return bool(np.__version__)


def measure(_: Worlds) -> Table:
    """All sets, as a table of the benchmarks."""
    title = "recall: what is found on public sets with evidence labels (percent)"
    if not DATA.is_dir():
        return Table(title, (), (f"NOT MEASURED: the sets are not at {DATA}",))
    rows: list[Row] = []
    for name in SETS:
        results = run(name, DATA, semantic=bool(os.environ.get("SLOWWAVE_BENCH_SEMANTIC")))
        for system, figures in results.items():
            for figure in ("turn_recall@5", "turn_recall@10", "session_recall@5", "ndcg@10", "mrr"):
                if figure not in figures:
                    continue
                floor = FLOORS.get((name, figure))
                beside = (
                    f"at least {floor:.0f}"
                    if floor and system != "bm25_floor"
                    else "peer"
                    if system == "bm25_floor"
                    else ""
                )
                rows.append(
                    Row(
                        f"{name} {system} {figure}", (figures[figure],), "", None, beside, more_is_better=True
                    )
                )
    return Table(title, tuple(rows), ("" if _has_numpy() else "without NumPy no weights of other folds",))


def main() -> None:
    """Print the figures of the sets asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the sets")
    parser.add_argument("--sets", default=",".join(SETS), help=f"of {', '.join(SETS)}")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument(
        "--semantic", action="store_true", help="also with the extra of that name (minutes, once)"
    )
    parser.add_argument("--fit", action="store_true", help="print weights fitted on all of LoCoMo, and end")
    given = parser.parse_args()
    names = [n for n in given.sets.split(",") if n]
    if unknown := [n for n in names if n not in SETS]:
        parser.error(f"unknown: {', '.join(unknown)}; there are: {', '.join(SETS)}")
    if given.fit:
        with tempfile.TemporaryDirectory() as folder:
            found = [
                _indexed(c, Path(folder, f"{n}.db"), None) for n, c in enumerate(SETS["locomo"](given.data))
            ]
            print("without vectors", fit(found))
            if given.semantic:
                print(
                    "with vectors", fit([(c, i, _vectors(i, CACHE / "locomo" / c.name)) for c, i, _ in found])
                )
        return
    results = {name: run(name, given.data, semantic=given.semantic) for name in names}
    if given.json:
        json.dump(results, sys.stdout, indent=2)
        print()
        return
    for name, systems in results.items():
        for system, figures in systems.items():
            print(f"{name:12} {system:18} " + "  ".join(f"{n} {v:g}" for n, v in figures.items()))


if __name__ == "__main__":
    main()
