"""Dreams by a model: the real SDK, a server of ours, real git. Each way it can go ends right, and is in the ledger."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from slowwave.config import Settings
from slowwave.report import Failed, Foreseen, Merged, NoChanges, NothingToReflect, Pending
from slowwave.service import Service
from slowwave.store import ledger, runs
from tests.models import agents
from tests.models.server import Act, ModelServer, failing, text, tools
from tests.sessions import ClaudeSession

from .models import KEY, LINE, PREFERENCES, WISH, configure, dream, learn, memory, results, sent, service


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """The person's home, where the agents write."""
    return tmp_path / "user"


@pytest.fixture
def session(user: Path) -> ClaudeSession:
    """A session in which the person asked for something."""
    return ClaudeSession(user, "s1").turn(WISH, steps=3)


class Scene:
    """A service and the server its model is behind."""

    def __init__(self, home: Path, user: Path) -> None:
        self.home, self.user = home, user
        self.server = ModelServer([])

    @contextmanager
    def plays(self, *acts: Act, more: str = "") -> Iterator[Service]:
        """Let the server play these while the service lives."""
        self.server = ModelServer(acts)
        with self.server.running():
            configure(self.home, self.server.url, more)
            own = service(self.home, self.user)
            try:
                yield own
            finally:
                own.close()


@pytest.fixture
def scene(home: Path, user: Path) -> Scene:
    """Nothing is played yet."""
    return Scene(home, user)


def test_a_model_learns_a_line_with_evidence_and_it_lands(scene: Scene, session: ClaudeSession) -> None:
    """Tools are used, the line is sealed and cited, the merge commit names the reflector, the cost is known."""
    first = tools(("list", {}), learn(session, 1))
    with scene.plays(first, text("Kept one line.")) as own:
        report = dream(own)
        assert isinstance(report.outcome, Merged)
        assert [(x.path, x.action, x.text) for x in report.learned] == [(PREFERENCES, "created", LINE)]
        written = memory(own)[PREFERENCES]
        assert (
            f"- {LINE}\n  Evidence: claude-code {session.session_id} turn 1, user, 2099-03-01, seal "
            in written
        )
        assert report.tokens == {"input": 2000, "output": 100, "cache_read": 0}
        assert report.cost_usd == pytest.approx((2000 * 2 + 100 * 10) / 1e6)
        [line] = own.log(limit=1)
        assert (line.tokens, line.cost_usd) == (2100, report.cost_usd)
        said = subprocess.run(
            ["git", "log", "-1", "--format=%B"], cwd=own.homes.memory, capture_output=True, check=True
        )
        assert b"Reflector: anthropic" in said.stdout
        assert results(scene.server.asked[1]) == ["(memory is empty)", f"learned in {PREFERENCES}"]
        assert isinstance(dream(own).outcome, NothingToReflect)
        assert len(scene.server.bodies) == 2


def test_what_would_not_pass_is_answered_and_can_be_mended(scene: Scene, session: ClaudeSession) -> None:
    """A quote nobody said, a role without a voice and a place outside are answers to the model, not the end."""
    wrong = tools(
        learn(session, 1, quote="always deploy on Fridays"),
        learn(session, 7),
        learn(session, 1, role="tool", quote="1"),
        learn(session, 1, path="../outside.md"),
        learn(session, 1, text="The person likes boats and hates trains."),
        ("run", {"command": "ls"}),
        ("view", {"file": "x"}),
    )
    with scene.plays(wrong, tools(learn(session, 1)), text("ok")) as own:
        assert isinstance(dream(own).outcome, Merged)
        said = results(scene.server.asked[1])
        assert "did not say" in said[0]
        assert "did not read" in said[1]
        assert "did not say" in said[2] or "cites tool output" in said[2]
        assert "says more than its quotes do" in said[4]
        assert "there is no tool 'run'" in said[5]
        assert "path is missing" in said[6]
        assert list(memory(own)) == [PREFERENCES]


FAILURES = {
    "too many requests for too long": ([failing(429, "rate_limit_error", retry_after="3600")], "rate_limit", 1),
    "the server breaks three times": ([failing(500, "api_error", retry_after="0")] * 3, "server", 3),
    "overloaded three times": ([failing(529, "overloaded_error", retry_after="0")] * 3, "overloaded", 3),
    "no such key": ([failing(401, "authentication_error", f"invalid x-api-key: {KEY}")], "auth", 1),
    "slow, twice": ([text("late", pause=1.5, headers={})] * 2, "timeout", 2),
    "cut, twice": ([text("half an answer", cut=3)] * 2, "cut", 2),
    "refused": ([text("I will not", stop="refusal")], "refusal", 1),
    "never to the point": ([text("and so on", stop="max_tokens")] * 3, "max_tokens", 3),
    "too long, however short": (
        [failing(400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum")] * 3, "too_long", 3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILURES)
def test_a_model_that_fails_loses_nothing(
    name: str, scene: Scene, session: ClaudeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dream fails with the kind of its failure, memory is untouched, every call is in the ledger, and the same
    turns are read by the next dream.
    """
    monkeypatch.setattr("slowwave.dream.metered._pause", lambda _: 0.0)
    acts, kind, calls = FAILURES[name]
    with scene.plays(*acts) as own:
        report = dream(own)
        assert isinstance(report.outcome, Failed)
        assert report.outcome.exit_code == 1
        if kind != "max_tokens":
            assert report.outcome.error.startswith(f"{kind}: ")
        assert KEY not in report.outcome.error
        assert memory(own) == {}
        assert len(scene.server.bodies) == calls
        rows = own.db.rows("SELECT state, failure, usd FROM calls ORDER BY id")
        assert len(rows) == calls
        assert {r["failure"] for r in rows} == ({""} if kind == "max_tokens" else {kind})
        asked = scene.server.asked[0]["messages"][0]
    with scene.plays(tools(learn(session, 1)), text("ok")) as own:
        assert isinstance(dream(own).outcome, Merged)
        if kind != "too_long":
            assert _without_markers(scene.server.asked[0]["messages"][0]) == _without_markers(asked)


def _without_markers(message: object) -> str:
    return re.sub(r"[0-9a-f]{16}", "", str(message))


def test_a_short_failure_is_waited_out(scene: Scene, session: ClaudeSession) -> None:
    """429 with a short `retry-after`, then 529, then the answer: one dream, and nobody notices."""
    acts = [
        failing(429, "rate_limit_error", retry_after="0.1"),
        failing(529, "overloaded_error", retry_after="0.1"),
    ]
    with scene.plays(*acts, tools(learn(session, 1)), text("ok")) as own:
        assert isinstance(dream(own).outcome, Merged)
        states = [r["state"] for r in own.db.rows("SELECT state FROM calls ORDER BY id")]
        assert states == ["failed", "failed", "done", "done"]


def test_an_answer_cut_short_goes_on(scene: Scene, session: ClaudeSession) -> None:
    """What came whole is done, the broken call is answered, and the model is asked to go on."""
    _, given = learn(session, 1)
    broken = {"type": "tool_use", "id": "t2", "name": "view", "partial": '{"pa'}
    act = Act(({"type": "tool_use", "id": "t1", "name": "learn", "input": given}, broken), stop="max_tokens")
    with scene.plays(act, text("That was all.")) as own:
        assert isinstance(dream(own).outcome, Merged)
        assert "not JSON" in results(scene.server.asked[1])[1]
        assert "cut short" in str(scene.server.asked[1]["messages"][-1]["content"][-1])


def test_a_prompt_that_is_too_long_is_shortened(scene: Scene, user: Path) -> None:
    """Long entries are shown by their two ends; the quote still has to stand in the whole."""
    session = ClaudeSession(user, "s1").turn(f"{WISH} Here is a log: " + "x y z " * 2000)
    too_long = failing(400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum")
    with scene.plays(too_long, tools(learn(session, 1)), text("ok")) as own:
        assert isinstance(dream(own).outcome, Merged)
        assert len(scene.server.bodies[1]) < len(scene.server.bodies[0]) - 3000
        assert "characters left out" in sent(scene.server)


def test_a_pass_has_a_last_question(scene: Scene, session: ClaudeSession) -> None:
    """A model that would look around for ever is stopped after `model.calls`, and what it learned is kept."""
    acts = [tools(learn(session, 1)), *[tools(("list", {}))] * 10]
    with scene.plays(*acts, more="calls = 4") as own:
        assert isinstance(dream(own).outcome, Merged)
        assert len(scene.server.bodies) == 4


def test_a_budget_that_is_used_up_in_the_middle_keeps_what_was_learned(
    scene: Scene, session: ClaudeSession
) -> None:
    """The pass ends there, its batch counts as read, and the next budget is not spent on the same again."""
    acts = [
        tools(learn(session, 1)),
        *[tools(("list", {}), usage={"input_tokens": 20_000, "output_tokens": 900})] * 9,
    ]
    with scene.plays(*acts, more="[budget]\nrun_tokens = 60000\n") as own:
        report = dream(own)
        assert isinstance(report.outcome, Merged)
        assert LINE in memory(own)[PREFERENCES]
        assert 2 <= len(scene.server.bodies) <= 4
        assert ledger.spent(own.db).tokens <= 60_000
        assert isinstance(dream(own).outcome, NothingToReflect)


def test_raw_edits_that_would_not_pass_are_told_once_and_then_taken_back(
    scene: Scene, session: ClaudeSession
) -> None:
    """Other files of the same pass stay."""
    bad = "---\ndescription: x\npinned: true\n---\n- The port is 7000.\n"
    acts = [
        tools(learn(session, 1), ("create", {"path": "system/ports.md", "text": bad})), text("done"), text("no"),
    ]  # fmt: skip
    with scene.plays(*acts) as own:
        assert isinstance(dream(own).outcome, Merged)
        assert list(memory(own)) == [PREFERENCES]
        assert "will not be accepted" in str(scene.server.asked[2]["messages"][-1])
        assert len(scene.server.bodies) == 3


def test_a_line_without_evidence_waits_for_a_person(scene: Scene, session: ClaudeSession) -> None:
    """It lands later, by `merge`, and no model is asked again."""
    plain = "---\ndescription: Ports\n---\n- Always run `make check`.\n"
    with scene.plays(tools(("create", {"path": "reference/ports.md", "text": plain})), text("done")) as own:
        report = dream(own)
        assert isinstance(report.outcome, Pending)
        assert "cites no evidence" in report.outcome.reason
        asked = len(scene.server.bodies)
        assert isinstance(dream(own).outcome, NothingToReflect)
        assert own.merge("", prefer="", dry_run=False).status == "merged"
        assert memory(own) == {"reference/ports.md": plain}
        assert len(scene.server.bodies) == asked == 2


def test_a_persons_lines_stay(scene: Scene, session: ClaudeSession) -> None:
    """A line a person wrote is not replaced, deleted or moved by a model, whatever tool it takes."""
    with scene.plays(tools(learn(session, 1)), text("ok")) as own:
        dream(own)
    mine = "---\ndescription: mine\n---\n- I like tabs.\n\nAnd this paragraph.\n"
    (own.homes.memory / "reference").mkdir()
    (own.homes.memory / "reference" / "mine.md").write_text(mine, "utf-8")
    git = ["git", "-c", "user.name=p", "-c", "user.email=p@localhost"]
    subprocess.run([*git, "add", "-A"], cwd=own.homes.memory, check=True)
    subprocess.run([*git, "commit", "-qm", "mine"], cwd=own.homes.memory, check=True)
    session.turn("Never push to main, always open a pull request instead.")
    attempts = tools(
        ("delete_line", {"path": "reference/mine.md", "text": "I like tabs."}),
        ("str_replace", {"path": "reference/mine.md", "old": "I like tabs.", "new": "I like spaces."}),
        ("rename", {"old": "reference/mine.md", "new": "reference/other.md"}),
        learn(session, 2, text="Never push to main, always open a pull request instead.",
              quote="Never push to main, always open a pull request instead."),
    )  # fmt: skip
    with scene.plays(attempts, text("done"), text("no")) as own:
        assert isinstance(dream(own).outcome, Merged)
        assert memory(own)["reference/mine.md"] == mine
        assert "reference/other.md" not in memory(own)
        assert "pull request" in memory(own)[PREFERENCES]


def test_small_talk_is_read_without_a_question(scene: Scene, user: Path) -> None:
    """The offline rules look first, for nothing; an instruction is reason enough to ask."""
    ClaudeSession(user, "s1").turn("hello there")
    with scene.plays(text("nothing")) as own:
        report = dream(own)
        assert isinstance(report.outcome, NoChanges)
        assert report.note == "1 of 1 batches held nothing worth a question"
        assert scene.server.bodies == []
    ClaudeSession(user, "s2").turn("hello there")
    with scene.plays(text("nothing")) as own:
        assert isinstance(dream(own, instruction="look for greetings").outcome, NoChanges)
        assert "look for greetings" in sent(scene.server)


def test_a_dry_run_says_what_would_be_asked_and_sends_nothing(scene: Scene, session: ClaudeSession) -> None:
    """Batches, tokens and money at most, before anything leaves; nothing is written either."""
    with scene.plays() as own:
        report = dream(own, dry_run=True)
        assert isinstance(report.outcome, Foreseen)
        [batch] = report.outcome.batches
        assert batch.worth
        assert 1000 < batch.tokens < 40_000
        assert 0 < report.outcome.usd < 0.5
        assert report.as_json()["foreseen"]["model"] == "claude-sonnet-5-5"
        assert scene.server.bodies == []
        assert ledger.spent(own.db).calls == 0
        assert runs.latest(own.db) == []


def test_several_batches_are_joined_by_the_model(scene: Scene, user: Path) -> None:
    """Two batches learn the same; the aggregation keeps one line with the evidence of both."""
    one = ClaudeSession(user, "s1").turn(WISH)
    two = ClaudeSession(user, "s2").turn(
        "Please always run `make check` before reporting work as done, every time.", steps=3
    )
    late = "always run `make check` before reporting work as done"
    other = "Please always run `make check` before reporting work."
    acts = [
        tools(learn(one, 1)), text("ok"),
        tools(learn(two, 1, text=other, quote=late)), text("ok"),
        tools(("learn", {
            "path": PREFERENCES, "text": LINE, "replaces": LINE, "evidence": [
                {"session": one.session_id, "turn": 1, "role": "user",
                 "quote": "always run `make check` before you report work as done"},
                {"session": two.session_id, "turn": 1, "role": "user", "quote": late},
            ]}), ("delete_line", {"path": PREFERENCES, "text": other})),
        text("joined"),
    ]  # fmt: skip
    with scene.plays(*acts) as own:
        own.settings = _two_batches(own)
        report = dream(own)
        assert isinstance(report.outcome, Merged), report
        assert report.batches == 2
        assert report.note == ""
        assert [x.text for x in report.learned] == [LINE]
        assert len(report.learned[0].evidence) == 2
        assert memory(own)[PREFERENCES].count("\n- ") == 1


def test_an_aggregation_that_fails_or_loses_lines_leaves_the_batches(scene: Scene, user: Path) -> None:
    """It is all or nothing: what the batches learned lands, and the report says that they were not joined."""
    one = ClaudeSession(user, "s1").turn(WISH)
    two = ClaudeSession(user, "s2").turn("Never push to main, always open a pull request instead.", steps=3)
    second = "Never push to main, always open a pull request instead."
    batches = [tools(learn(one, 1)), text("ok"), tools(learn(two, 1, text=second, quote=second)), text("ok")]
    loses = tools(("delete_line", {"path": PREFERENCES, "text": second}))
    for ends in ([loses, text("done")], [loses, failing(401, "authentication_error")]):
        with scene.plays(*batches, *ends) as own:
            own.settings = _two_batches(own)
            report = dream(own)
            assert isinstance(report.outcome, Merged), report
            assert "were not joined" in report.note
            assert LINE in memory(own)[PREFERENCES]
            assert second in memory(own)[PREFERENCES]
            own.undo("", dry_run=False)
        one.turn(WISH)
        two.turn(second, steps=3)
        batches = [
            tools(learn(one, 2)),
            text("ok"),
            tools(learn(two, 2, text=second, quote=second)),
            text("ok"),
        ]


def test_batches_that_were_reflected_are_kept_when_a_later_one_fails(scene: Scene, user: Path) -> None:
    """They land with their own cursor; the turns of the others are read by the next dream, and those alone."""
    one = ClaudeSession(user, "s1").turn(WISH)
    second = "Never push to main, always open a pull request instead."
    two = ClaudeSession(user, "s2").turn(second, steps=3)
    half = tools(("create", {"path": "reference/half.md", "text": "---\ndescription: x\n---\n"}))
    with scene.plays(tools(learn(one, 1)), text("ok"), half, failing(401, "authentication_error")) as own:
        own.settings = _two_batches(own)
        report = dream(own)
        assert isinstance(report.outcome, Merged), report
        assert "1 of 2 batches are left" in report.note
        assert [s.session_id for s in report.sources] == [one.session_id]
        assert list(memory(own)) == [PREFERENCES]
    with scene.plays(tools(learn(two, 1, text=second, quote=second)), text("ok")) as own:
        own.settings = _two_batches(own)
        report = dream(own)
        assert isinstance(report.outcome, Merged)
        assert [s.session_id for s in report.sources] == [two.session_id]
        assert WISH not in sent(scene.server)


def _two_batches(own: Service) -> Settings:
    """The same settings, a batch to each session."""
    return replace(own.settings, dream=replace(own.settings.dream, batch_sessions=1))


# ---------------------------------------------------------------------- processes
def command(home: Path, user: Path, *words: str) -> subprocess.Popen[str]:
    """`slowwave WORDS` as a process of its own."""
    env = {"PATH": "/usr/bin:/bin", "HOME": str(user), "SLOWWAVE_HOME": str(home), "SLOWWAVE_INSTANCE_ID": "t",
           "SLOWWAVE_MODEL_KEY": KEY, "LANG": "C.UTF-8"}  # fmt: skip
    argv = [sys.executable, "-m", "slowwave", *words]
    return subprocess.Popen(
        argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=home
    )


def ended(process: subprocess.Popen[str], seconds: float = 60) -> tuple[int, str, str]:
    """Its exit code and words."""
    out, err = process.communicate(timeout=seconds)
    return process.returncode, out, err


def until(said: Callable[[], object], seconds: float = 30) -> None:
    """Wait until something holds."""
    limit = time.monotonic() + seconds
    while not said():
        assert time.monotonic() < limit
        time.sleep(0.02)


def test_a_batch_that_was_paid_for_is_not_paid_for_again_after_a_kill(home: Path, user: Path) -> None:
    """Killed while the second batch is asked about: the next dream asks about the second alone, and lands both."""
    one = ClaudeSession(user, "s1").turn(WISH)
    second = "Never push to main, always open a pull request instead."
    two = ClaudeSession(user, "s2").turn(second, steps=3)
    with ModelServer([tools(learn(one, 1)), text("ok"), text("never heard", pause=60)]).running() as server:
        configure(home, server.url)
        file = home / "config.toml"
        settings = file.read_text("utf-8").replace("timeout_seconds = 2", "")
        file.write_text(settings.replace("[dream]", "[dream]\nbatch_sessions = 1"), "utf-8")
        process = command(home, user, "dream", "--from", "claude-code", "--json")
        until(lambda: len(server.bodies) == 3)
        process.kill()
        ended(process)
        acts = iter([tools(learn(two, 1, text=second, quote=second)), text("ok"), text("nothing to join")])
        server.play = lambda _: next(acts)
        code, out, err = ended(command(home, user, "dream", "--from", "claude-code", "--json"))
        assert (code, json.loads(out)["outcome"]) == (0, "merged"), err
        assert [x["text"] for x in json.loads(out)["learned"]] == [LINE, second]
        asked = [json.dumps(b["messages"][0]) for b in server.asked[3:]]
        assert len(asked) == 3
        assert WISH not in asked[0]
        assert second in asked[0]
        assert not (home / "state" / "batches" / "harbor").exists()


def test_the_command_line_shows_what_would_be_asked_and_what_it_cost(
    home: Path, user: Path, session: ClaudeSession
) -> None:
    """A dry run, a dream, the log and the status, as a person sees them."""
    with ModelServer([tools(learn(session, 1)), text("ok")]).running() as server:
        configure(home, server.url)
        code, out, _ = ended(command(home, user, "dream", "--from", "claude-code", "--dry-run"))
        assert code == 0
        assert "would ask claude-sonnet-5-5 at 127.0.0.1" in out
        assert "nothing was sent" in out
        assert server.bodies == []
        code, out, err = ended(command(home, user, "dream", "--from", "claude-code"))
        assert (code, "2,100 tokens, $0.0050" in out) == (0, True), out + err
        assert "2,100 tokens, $0.0050" in ended(command(home, user, "log"))[1]
        _, out, _ = ended(command(home, user, "status"))
        assert "model       claude-sonnet-5-5 at 127.0.0.1" in out
        assert "spent       last day: $0.0050 of $5, 2,100 of 6,000,000 tokens" in out
        _, out, _ = ended(command(home, user, "doctor"))
        assert "its key: environment (SLOWWAVE_MODEL_KEY)" in out
        assert KEY not in out


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGKILL])
def test_a_dream_that_is_ended_while_the_model_answers_loses_nothing(
    sign: signal.Signals, home: Path, user: Path, session: ClaudeSession
) -> None:
    """Asked or killed: memory is as it was, the money stands in the ledger, and the next dream reads the same."""
    with ModelServer([text("never heard", pause=60)]).running() as server:
        configure(home, server.url)
        (home / "config.toml").write_text(
            (home / "config.toml").read_text().replace("timeout_seconds = 2", "")
        )
        process = command(home, user, "dream", "--from", "claude-code", "--json")
        until(lambda: server.bodies)
        begun = time.monotonic()
        process.send_signal(sign)
        code, _, _ = ended(process)
        assert time.monotonic() - begun < 5
        assert code == (130 if sign == signal.SIGTERM else -signal.SIGKILL)
        own = service(home, user)
        assert ledger.spent(own.db).usd > 0
        server.play = lambda body: text("ok") if len(body["messages"]) > 1 else tools(learn(session, 1))
        code, out, err = ended(command(home, user, "dream", "--from", "claude-code", "--json"))
        assert (code, json.loads(out)["outcome"]) == (0, "merged"), err
        assert LINE in memory(own)[PREFERENCES]
        own.close()


def test_a_stop_between_two_batches_keeps_what_was_paid_for(home: Path, user: Path) -> None:
    """The reflected batch lands; the other is as new as before."""
    one = ClaudeSession(user, "s1").turn(WISH)
    second = "Never push to main, always open a pull request instead."
    ClaudeSession(user, "s2").turn(second, steps=3)
    with ModelServer([tools(learn(one, 1)), text("ok"), text("too late")]).running() as server:
        configure(home, server.url)
        own = service(home, user, stop=lambda: len(server.bodies) >= 2)
        own.settings = _two_batches(own)
        report = dream(own)
        assert isinstance(report.outcome, Merged), report
        assert "1 of 2 batches are left" in report.note
        assert [s.session_id for s in report.sources] == [one.session_id]
        own.close()


def test_a_coding_agent_reflects_in_one_answer(
    home: Path, user: Path, session: ClaudeSession, tmp_path: Path
) -> None:
    """It is shown memory itself and has no tools to look; what would not pass is taken back without a second question."""
    file = agents.program(tmp_path / "bin", "claude")
    good = learn(session, 1)
    bad = "create", {"path": "system/x.md", "text": "---\ndescription: x\npinned: true\n---\n"}
    answer = {"calls": [{"name": name, "input": json.dumps(given)} for name, given in (good, bad)]}
    (tmp_path / "bin" / "plan.json").write_text(json.dumps({"answer": answer}), "utf-8")
    (home / "config.toml").write_text(
        f'[dream]\nreflector = "agent-cli"\n[agent]\nprogram = {json.dumps(str(file))}\nbilling = "subscription"\n',
        "utf-8",
    )
    own = service(home, user)
    report = dream(own)
    assert isinstance(report.outcome, Merged), report
    assert list(memory(own)) == [PREFERENCES]
    assert report.cost_usd == 0
    assert report.tokens == {"input": 900, "output": 40, "cache_read": 100}
    asked = [
        json.loads(line)["asked"] for line in (tmp_path / "bin" / "log.jsonl").read_text("utf-8").splitlines()
    ]
    assert len(asked) == 1
    assert WISH in asked[0]
    assert '"name": "view"' not in asked[0]
    own.close()
