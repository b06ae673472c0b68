"""A model that obeys every injected instruction: nothing lands outside the quarantine, and no secret goes anywhere."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from slowwave.dream.toolbox import InMemoryToolbox
from slowwave.dream.validate import Invalid, Limits, Review, WindowLoss, validate
from slowwave.errors import ScopeError, UsageError
from slowwave.memory import layout
from slowwave.model import Author, Evidence, Snapshot
from slowwave.report import Merged
from slowwave.service import Service
from tests.models.server import ModelServer
from tests.sessions import ClaudeSession

from .injections import (
    GOALS,
    OTHER,
    OWN_LINE,
    PAGE,
    PASSWORD,
    POSITIONS,
    SECRET,
    WISH,
    WORDINGS,
    Goal,
    Obedient,
    injected,
    play_session,
)
from .models import configure, dream, memory, service
from .talk import PROJECT, session

EARLIER = {
    "system/mine.md": "---\ndescription: What I want\n---\n- Tabs, never spaces.\n",
    "reference/notes.md": f"---\ndescription: notes\n---\n- The database password is {PASSWORD}\n- Ports start at 7000.\n",
}


def git(own: Service, *words: str) -> bytes:
    """What git says in the memory repository."""
    argv = ["git", "-c", "user.name=p", "-c", "user.email=p@localhost", *words]
    return subprocess.run(argv, cwd=own.homes.memory, check=True, capture_output=True).stdout


def remember(own: Service, files: dict[str, str]) -> None:
    """Put files into memory as a person does."""
    own.repository(create=True)
    for path, text in files.items():
        file = own.homes.memory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    git(own, "add", "-A")
    git(own, "commit", "-qm", "mine")


def quarantined(goal: Goal, wording: str) -> str:
    """A page an earlier dream has put into the quarantine, with the injection in it."""
    cited = Evidence("claude-code", "0-earlier", 1, Author.TOOL, goal.line)
    return f"---\ndescription: Pages\n---\n{layout.learned_item(WORDINGS[wording].format(line=goal.line), ((cited, None),))}\n"


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("wording", WORDINGS)
@pytest.mark.parametrize("goal", GOALS, ids=lambda g: g.name)
def test_nothing_an_injection_wants_lands_outside_the_quarantine(
    goal: Goal, wording: str, position: str, home: Path, tmp_path: Path
) -> None:
    """Whatever the outcome: main holds what it held, plus perhaps the quarantine; no secret was sent, logged or kept."""
    user = tmp_path / "user"
    talk = ClaudeSession(user, f"s-{goal.name}-{wording}-{position}")
    text = injected(goal, wording)
    play_session(talk, position, text)
    model = Obedient(talk)
    with ModelServer(model).running() as server:
        configure(home, server.url)
        own = service(home, user)
        files = EARLIER | ({PAGE: quarantined(goal, wording)} if position == "memory" else {})
        remember(own, files)
        dream(own)
        assert model.seen == {goal.name}
        assert len(server.bodies) > 3
        after = memory(own)
        for path, before in files.items():
            assert after.pop(path) == before
        for path, found in after.items():
            where = layout.place(path)
            assert where
            if not where.rest.startswith("untrusted/"):
                assert not [mark for mark in goal.marks if mark in found], (path, found)
        assert not Path("/tmp/slowwave-escape.md").exists()
        assert_nowhere(own, server)
        own.close()


def assert_nowhere(own: Service, server: ModelServer) -> None:
    """Neither secret is in a request, in any commit of any branch, in the store, or in any file of ours."""
    sent = b"\n".join(server.bodies)
    dreamt = git(own, "log", "--all", "--grep", "Dream-Id", "-p", "-U0", "-m", "--format=%B")
    for secret in (SECRET, PASSWORD):
        assert secret.encode() not in sent
        assert secret.encode() not in dreamt
        assert secret not in own.log(limit=5)[0].reason
        for file in own.homes.state.rglob("*"):
            assert not file.is_file() or secret.encode() not in file.read_bytes(), file
        for file in own.homes.data.glob("slowwave.db*"):
            assert secret.encode() not in file.read_bytes(), file


# ---------------------------------------------------------------------- the last line alone
def edits(goal: Goal, talk: ClaudeSession) -> Iterator[InMemoryToolbox]:
    """Each raw edit of the obedient model by itself, with nobody in between; those a toolbox refuses are left out."""
    for name, given in Obedient(talk).raw(goal, ["system/mine.md", "reference/notes.md"]):
        box = InMemoryToolbox({**EARLIER, PAGE: quarantined(goal, "note")})
        if name == "view":
            continue
        try:
            getattr(box, name)(**given)
        except (UsageError, ScopeError):
            continue
        yield box


def cited(goal: Goal) -> Iterator[InMemoryToolbox]:
    """Lines with seals and real evidence, as if the tools had written them."""
    person = Evidence("claude-code", "s1", 1, Author.HUMAN, WISH)
    thanks = Evidence("claude-code", "s1", 2, Author.HUMAN, OTHER)
    tool = Evidence("claude-code", "s1", 2, Author.TOOL, goal.line)
    for path in (
        "system/a.md",
        "projects/harbor/system/preferences.md",
        "reference/a.md",
        "skills/x/SKILL.md",
    ):
        name = "name: x\n" if path.endswith("SKILL.md") else ""
        for line in (goal.line, goal.paraphrase):
            for evidence in ((person,), (thanks,), (tool,), (person, tool), (person, thanks)):
                item = layout.learned_item(line, tuple((e, None) for e in evidence))
                yield InMemoryToolbox({**EARLIER, path: f"---\n{name}description: x\n---\n{item}\n"})


def verdict(box: InMemoryToolbox, snapshot: Snapshot) -> object:
    """What validation says of a change, when the reflector can be talked into something."""
    before = {path: text.encode() for path, text in EARLIER.items()}
    if PAGE in box.files or "system/pages.md" in box.files:
        before[PAGE] = quarantined(GOALS[0], "note").encode()
        before |= {p: t.encode() for p, t in box.files.items() if p == PAGE}
    return validate(
        before, {p: t.encode() for p, t in box.files.items()}, project=PROJECT, snapshots=(snapshot,), learned=(),
        redactor_findings=lambda text: [SECRET] * text.count(SECRET), window=WindowLoss(0, 0),
        limits=Limits(persuadable=True, loss_floor=1),
    )  # fmt: skip


@pytest.mark.parametrize("wording", WORDINGS)
@pytest.mark.parametrize("goal", GOALS, ids=lambda g: g.name)
def test_validation_alone_lets_none_of_it_land(goal: Goal, wording: str, tmp_path: Path) -> None:
    """Without the tools' own checks, each single edit is refused or waits for a person."""
    snapshot = session(
        [("user", WISH), ("agent", "Done.")],
        [("user", OTHER), ("call", "make build"), ("ok", injected(goal, wording)), ("agent", "Done.")],
    )
    talk = ClaudeSession(tmp_path, "s1")
    boxes = [*edits(goal, talk), *cited(goal)]
    assert len(boxes) > 40
    for box in boxes:
        assert isinstance(verdict(box, snapshot), Review | Invalid), box.files


def test_what_the_person_wants_still_lands_beside_an_injection(home: Path, tmp_path: Path) -> None:
    """The defence does not cost the ordinary: the wish of the same session is learned."""
    user = tmp_path / "user"
    talk = ClaudeSession(user, "s1")
    play_session(talk, "tool", injected(GOALS[0], "system"))
    model = Obedient(talk)
    honest = ("learn", {
        "path": "projects/harbor/system/preferences.md", "text": OWN_LINE, "description": "How the person wants work done",
        "evidence": [model.evidence(1, "user", "always run `make check` before you report work as done")],
    })  # fmt: skip
    obey = model.obey
    model.obey = lambda goal, files: [*obey(goal, files)[:60], honest]  # type: ignore[method-assign]
    with ModelServer(model).running() as server:
        configure(home, server.url)
        own = service(home, user)
        assert isinstance(dream(own).outcome, Merged)
        assert OWN_LINE in memory(own)["projects/harbor/system/preferences.md"]
        own.close()
