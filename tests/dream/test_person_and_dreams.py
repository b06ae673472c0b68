"""Whatever a person and the dreams do in turn: no committed line of the person's is lost, no undone one comes back."""

import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slowwave.errors import RefusedError, UsageError
from slowwave.report import Merged, Pending
from tests.dream.household import Household

ACTS = st.lists(
    st.tuples(
        st.sampled_from(["dream", "dream", "keep", "edit", "reset", "undo", "merge", "discard"]),
        st.integers(0, 9),
    ),
    min_size=3,
    max_size=8,
)


class Story:
    """One memory, what must be in it, and what must not come back."""

    def __init__(self, root: Path) -> None:
        self.house = Household(root)
        self.marks: dict[str, str] = {}
        self.mine: dict[str, list[str]] = {}  # the person's lines, by the commit they came with
        self.undone: dict[str, str] = {}  # each undone dream, with the commit of its undo
        self.count = 0
        self.act("dream", 0)

    def act(self, what: str, number: int) -> None:
        """Do one thing."""
        self.count += 1
        getattr(self, f"_{what}")(number)

    def _dream(self, _number: int, *, review: bool = False) -> None:
        word = f"target{self.count}x"
        report = self.house.dream(
            f"From now on always run `make {word}` before you report {word} work as done.", review=review
        )
        assert isinstance(report.outcome, Merged | Pending)
        self.marks[report.dream_id] = word

    def _keep(self, number: int) -> None:
        self._dream(number, review=True)

    def _edit(self, number: int) -> None:
        files = sorted(self.house.memory.rglob("*.md")) or [self.house.memory / "mine.md"]
        file = files[number % len(files)]
        lines = file.read_text("utf-8").splitlines(keepends=True) if file.exists() else []
        line = f"- Mine {self.count}.\n"
        starts = [n for n, each in enumerate(lines) if each.startswith("- ")] + [len(lines)]
        lines.insert(starts[number % len(starts)], line)
        self.house.commit(file.relative_to(self.house.memory).as_posix(), "".join(lines))
        self.mine.setdefault(self.house.git("rev-parse", "HEAD"), []).append(line)

    def _reset(self, _number: int) -> None:
        if self.house.git("rev-list", "--first-parent", "--count", "HEAD") != "1":
            self.house.git("reset", "-q", "--hard", "HEAD^1")

    def _undo(self, number: int) -> None:
        dream_id = sorted(self.marks)[number % len(self.marks)]
        with suppress(UsageError, RefusedError):  # it has not landed, or a person changed its lines
            self.undone[dream_id] = self.house.undo(dream_id).commit

    def _merge(self, number: int) -> None:
        self._decide(number, self.house.merge)

    def _discard(self, number: int) -> None:
        self._decide(number, self.house.discard)

    def _decide(self, number: int, verb: object) -> None:
        waiting = sorted(d for d, status in self.house.log().items() if status == "pending")
        if waiting:
            assert callable(verb)
            verb(waiting[number % len(waiting)])

    def check(self) -> None:
        """What must hold after each act."""
        text, history = self.house.text(), set(self.house.git("rev-list", "HEAD").split())
        for commit, lines in self.mine.items():
            assert commit not in history or all(line in text for line in lines), lines
        for dream_id, commit in self.undone.items():
            assert commit not in history or self.marks[dream_id] not in text, dream_id
        for dream_id, status in self.house.log().items():
            assert status == "merged" or self.marks.get(dream_id, "\0") not in text, (dream_id, status)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(ACTS)
def test_nothing_of_the_persons_is_lost_and_nothing_undone_comes_back(acts: list[tuple[str, int]]) -> None:
    """Dreams, edits, resets, undos, merges and discards in any order; git finds nothing wrong in the end."""
    with tempfile.TemporaryDirectory() as folder:
        story = Story(Path(folder))
        for what, number in acts:
            story.act(what, number)
            story.check()
        story.house.git("fsck", "--strict")
