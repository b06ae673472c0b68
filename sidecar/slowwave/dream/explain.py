"""Why a line was learned, and what nearly was: the signal and the weights behind each.

A dry run asks for it (`dream --explain`); nothing here changes memory. Engine 1.
"""

from collections.abc import Mapping, Sequence

from slowwave.dream import weights
from slowwave.dream.candidate import Candidate
from slowwave.dream.extract import candidates, plan
from slowwave.dream.signals import strongest
from slowwave.dream.wishes import Judged, judged
from slowwave.model import Evidence, Project, SessionKind, Snapshot
from slowwave.report import Explained


def explain(
    snapshots: Sequence[Snapshot], files: Mapping[str, str], project: Project
) -> tuple[Explained, ...]:
    """Every line that the plan learns, then the near misses, each with the highest score first."""
    proof = {each for one in plan(snapshots, files, project).learned for each in one.evidence}
    told = candidates(snapshots)
    learned = [_line(one) for one in told if proof.intersection(one.evidence)]
    cited = [each for one in told for each in one.evidence]
    near = [
        _miss(one)
        for snapshot in snapshots
        if snapshot.session.kind is SessionKind.MAIN
        for one in judged(snapshot)
        if _nearly(one) and not any(_within(one.cited, each) for each in cited)
    ]
    return (*sorted(learned, key=_order), *sorted(near, key=_order))


def _line(one: Candidate) -> Explained:
    return Explained(one.text, str(one.kind), one.signal, one.score, one.signals, learned=True)


def _miss(one: Judged) -> Explained:
    signal = strongest(one.heard)
    shown = weights.weighed(one.heard.notions)
    return Explained(one.cited.quote, str(signal.KIND), signal.NAME, one.score, shown, learned=False)


def _nearly(one: Judged) -> bool:
    return (
        bool(one.sentence.plain)
        and not one.barred
        and one.kind is None
        and one.score >= weights.ENOUGH - weights.NEAR
    )


def _within(one: Evidence, other: Evidence) -> bool:
    same = (one.source, one.session_id, one.turn) == (other.source, other.session_id, other.turn)
    return same and one.quote in other.quote


def _order(one: Explained) -> tuple[float, str]:
    return -one.score, one.text
