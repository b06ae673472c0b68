"""One contract for everybody who answers: the same questions, the same kinds of answer."""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from slowwave.errors import RefusedError
from slowwave.model import Usage
from slowwave.models.agent_cli import AgentModel
from slowwave.models.anthropic import AnthropicModel
from slowwave.models.protocol import (
    Failure,
    FailureKind,
    Message,
    Model,
    Reply,
    Request,
    Speaker,
    Stop,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)
from slowwave.models.scripted import ScriptedModel, calls, says

from . import agents
from .server import Act, ModelServer, failing, text, tools

VIEW = Tool("view", "Show a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
ASK = Request("You tend a memory.", (Message(Speaker.USER, (Text("hello"),)),), (VIEW,), timeout_seconds=20)


def never() -> bool:
    """Nobody calls it off."""
    return False


class Contract(ABC):
    """What a model of any kind does. A subclass says how to make one that will answer so."""

    @abstractmethod
    def calling(self, path: str) -> Model:
        """A model that wants to see a file."""

    @abstractmethod
    def silent(self) -> Model:
        """A model that has nothing to do."""

    @abstractmethod
    def broken(self, kind: FailureKind) -> Model:
        """A model that fails like this."""

    @abstractmethod
    def slow(self) -> Model:
        """A model that takes longer than anybody waits."""

    def test_a_call_comes_back_with_its_input_and_usage(self) -> None:
        """A wanted tool has a name, an input and an id of its own; what was used is counted."""
        answer = self.calling("système/é.md").ask(ASK, never)
        assert isinstance(answer, Reply)
        [call] = answer.calls
        assert (call.name, dict(call.input), call.problem) == ("view", {"path": "système/é.md"}, "")
        assert call.id
        assert answer.stop is Stop.TOOLS
        assert answer.usage.total > 0

    def test_nothing_to_do_is_an_answer_without_calls(self) -> None:
        """The end of a conversation is an ordinary answer."""
        answer = self.silent().ask(ASK, never)
        assert isinstance(answer, Reply)
        assert (answer.calls, answer.stop) == ((), Stop.END)

    @pytest.mark.parametrize("kind", [FailureKind.RATE_LIMIT, FailureKind.AUTH, FailureKind.TOO_LONG])
    def test_an_expected_failure_is_a_value_of_its_kind(self, kind: FailureKind) -> None:
        """Nothing is raised; the kind and the other side's words are there."""
        answer = self.broken(kind).ask(ASK, never)
        assert isinstance(answer, Failure)
        assert answer.kind is kind
        assert answer.text

    def test_a_question_can_be_called_off_while_it_waits(self) -> None:
        """Being asked to stop ends a question within a second."""
        begun = time.monotonic()
        answer = self.slow().ask(ASK, lambda: time.monotonic() - begun > 0.3)
        assert isinstance(answer, Failure)
        assert answer.kind is FailureKind.CANCELLED
        assert time.monotonic() - begun < 5


class TestScripted(Contract):
    """The fake is held to it as well."""

    def calling(self, path: str) -> Model:
        """It plays the call."""
        return ScriptedModel([calls(("view", {"path": path}))])

    def silent(self) -> Model:
        """Its script is at its end."""
        return ScriptedModel()

    def broken(self, kind: FailureKind) -> Model:
        """It plays the failure."""
        return ScriptedModel([Failure(kind, "no")])

    def slow(self) -> Model:
        """It takes no time, and looks before it answers."""
        time.sleep(0.4)
        return ScriptedModel([says("late")])

    def test_it_remembers_what_it_was_asked(self) -> None:
        """Tests can read every question."""
        model = ScriptedModel([says("a"), says("b")])
        model.ask(ASK, never)
        assert model.asked == [ASK]


class TestAnthropic(Contract):
    """The real SDK, against a server of ours."""

    @pytest.fixture(autouse=True)
    def _servers(self) -> Iterator[None]:
        with ExitStack() as stack:
            self.stack = stack
            yield

    def served(self, *acts: Act) -> AnthropicModel:
        """A model whose server plays these."""
        self.server = self.stack.enter_context(ModelServer(acts).running())
        return AnthropicModel("claude-sonnet-5-5", "sk-test", self.server.url)

    def calling(self, path: str) -> Model:
        """Thinking, then a call whose input comes in pieces."""
        return self.served(tools(("view", {"path": path})))

    def silent(self) -> Model:
        """A few words."""
        return self.served(text("Nothing to keep."))

    def broken(self, kind: FailureKind) -> Model:
        """The statuses the API documents."""
        act = {
            FailureKind.RATE_LIMIT: failing(429, "rate_limit_error", retry_after="7"),
            FailureKind.AUTH: failing(401, "authentication_error"),
            FailureKind.TOO_LONG: failing(
                400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"
            ),
        }[kind]
        return self.served(act)

    def slow(self) -> Model:
        """A byte every minute."""
        return self.served(text("late", pause=60))

    def test_what_is_sent_is_what_the_api_documents(self) -> None:
        """System prompt, tools and the newest message carry cache marks; results and thoughts go back as they came."""
        model = self.served(tools(("view", {"path": "a"})), text("done"))
        first = model.ask(ASK, never)
        assert isinstance(first, Reply)
        result = ToolResult(first.calls[0].id, "text of a", failed=False)
        more = (*ASK.messages, Message(Speaker.ASSISTANT, first.blocks), Message(Speaker.USER, (result,)))
        model.ask(Request(ASK.system, more, ASK.tools), never)
        body = self.server.asked[1]
        assert body["model"] == "claude-sonnet-5-5"
        assert body["stream"] is True
        assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
        assert body["tools"] == [
            {"name": "view", "description": "Show a file.", "input_schema": dict(VIEW.schema)}
        ]
        thought, call = body["messages"][1]["content"]
        assert thought == {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
        assert (call["type"], call["input"]) == ("tool_use", {"path": "a"})
        back = body["messages"][2]["content"][0]
        assert (back["type"], back["tool_use_id"], back["content"]) == (
            "tool_result",
            call["id"],
            "text of a",
        )
        assert back["cache_control"] == {"type": "ephemeral"}
        assert "temperature" not in body
        assert "sk-test" in str(self.server.heads[0])

    @pytest.mark.parametrize(
        ("act", "kind", "used"),
        [
            (failing(500, "api_error"), FailureKind.SERVER, 0),
            (failing(529, "overloaded_error"), FailureKind.OVERLOADED, 0),
            (failing(403, "permission_error"), FailureKind.AUTH, 0),
            (failing(404, "not_found_error"), FailureKind.NO_MODEL, 0),
            (failing(413, "request_too_large"), FailureKind.TOO_LONG, 0),
            (failing(400, "invalid_request_error", "messages: no"), FailureKind.BAD_REQUEST, 0),
            (failing(400, "invalid_request_error", "Your credit balance is too low"), FailureKind.BILLING, 0),
            (text("half an answer", cut=3), FailureKind.CUT, 1000),
            (text("I will not", stop="refusal"), FailureKind.REFUSAL, 1050),
        ],
    )
    def test_every_failure_has_its_kind_and_its_usage(self, act: Act, kind: FailureKind, used: int) -> None:
        """What was used before it failed is counted; the SDK does not try again by itself."""
        answer = self.served(act).ask(ASK, never)
        assert isinstance(answer, Failure)
        assert answer.kind is kind
        assert used <= answer.usage.total <= used + 100
        assert len(self.server.bodies) == 1

    def test_a_server_may_say_how_long_to_wait(self) -> None:
        """`retry-after` is handed on, in seconds."""
        answer = self.broken(FailureKind.RATE_LIMIT).ask(ASK, never)
        assert isinstance(answer, Failure)
        assert answer.retry_after == 7

    def test_an_answer_that_takes_too_long_is_given_up(self) -> None:
        """The limit holds for the whole answer, however steadily its bytes drip."""
        begun = time.monotonic()
        answer = self.served(text("a", pause=0.3)).ask(
            Request(ASK.system, ASK.messages, timeout_seconds=0.7), never
        )
        assert isinstance(answer, Failure)
        assert answer.kind is FailureKind.TIMEOUT
        assert time.monotonic() - begun < 3

    def test_nothing_known_of_the_usage_is_said_so(self) -> None:
        """An answer that broke off before its first event may have cost something."""
        answer = self.served(text("x", cut=0)).ask(ASK, never)
        assert isinstance(answer, Failure)
        assert not answer.known

    def test_a_malformed_input_is_a_call_with_a_problem(self) -> None:
        """A call cut off in the middle is no failure: the engine answers it."""
        block = {"type": "tool_use", "id": "t1", "name": "view", "partial": '{"path": "a'}
        answer = self.served(Act((block,), stop="max_tokens")).ask(ASK, never)
        assert isinstance(answer, Reply)
        assert answer.stop is Stop.MAX_TOKENS
        assert answer.calls == (ToolCall("t1", "view", {}, answer.calls[0].problem),)
        assert "not JSON" in answer.calls[0].problem

    def test_nobody_there_is_a_failure_of_the_network(self) -> None:
        """A port nobody listens on."""
        answer = AnthropicModel("m", "k", "http://127.0.0.1:9").ask(ASK, never)
        assert isinstance(answer, Failure)
        assert answer.kind is FailureKind.NETWORK

    def test_the_key_is_not_in_its_repr(self) -> None:
        """A traceback or a log line cannot show it."""
        assert "sk-test" not in repr(AnthropicModel("m", "sk-test"))


class AgentContract(Contract):
    """A small program that speaks as the real agent does. `billing` says that its word on money counts."""

    agent = ""

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "bin é"

    def planned(self, *, tells_cost: bool = False, **plan: Any) -> AgentModel:
        """An agent that will play this."""
        file = agents.program(self.folder, self.agent)
        (self.folder / "plan.json").write_text(json.dumps(plan), "utf-8")
        env = {
            "PATH": "/usr/bin:/bin",
            "ANTHROPIC_API_KEY": "k",
            "OPENAI_API_KEY": "k",
            "SECRET_OF_MINE": "s",
        }
        return AgentModel(str(file), self.folder / "home", env, tells_cost=tells_cost)

    def log(self) -> Mapping[str, Any]:
        """How it was called last."""
        found: Mapping[str, Any] = json.loads((self.folder / "log.jsonl").read_text("utf-8").splitlines()[-1])
        return found

    def calling(self, path: str) -> Model:
        """The input of a call is JSON inside a string."""
        return self.planned(answer={"calls": [{"name": "view", "input": json.dumps({"path": path})}]})

    def silent(self) -> Model:
        """No call."""
        return self.planned(answer={"calls": []})

    def broken(self, kind: FailureKind) -> Model:
        """In the agents' own words."""
        words = {
            FailureKind.RATE_LIMIT: "You've hit your usage limit",
            FailureKind.AUTH: "Invalid API key · Please run /login",
            FailureKind.TOO_LONG: "Prompt is too long",
        }
        return self.planned(error=words[kind])

    def slow(self) -> Model:
        """It sleeps."""
        return self.planned(sleep=60, answer={"calls": []})

    def test_the_agent_gets_only_what_it_needs(self) -> None:
        """A home of ours, the question on standard input, no tools of its own, and nothing of the environment."""
        self.planned(answer={"calls": []}).ask(ASK, never)
        log = self.log()
        assert "SECRET_OF_MINE" not in log["env"]
        assert not {"ANTHROPIC_API_KEY", "OPENAI_API_KEY"} & set(log["env"])
        assert "hello" in log["asked"]
        assert "hello" not in " ".join(log["argv"])
        assert (self.folder / "home" / self.agent).is_dir()

    def test_a_subscription_costs_nothing_and_a_meter_gets_the_key(self) -> None:
        """A key that would bill an API is handed on only when the person said that it is metered."""
        metered = self.planned(tells_cost=True, answer={"calls": []}).ask(ASK, never)
        assert {"ANTHROPIC_API_KEY", "OPENAI_API_KEY"} & set(self.log()["env"])
        paid = self.planned(answer={"calls": []}).ask(ASK, never)
        assert isinstance(metered, Reply)
        assert isinstance(paid, Reply)
        assert metered.cost_usd == (0.5 if self.agent == "claude" else None)
        assert paid.cost_usd is None
        assert paid.usage == Usage(900, 40, 100)

    @pytest.mark.parametrize("raw", ["Sure! Here you are.", '{"calls": 3}', '{"answer": []}', "", "null"])
    def test_an_answer_outside_the_schema_is_unreadable(self, raw: str) -> None:
        """Words in the place of the answer are no calls."""
        answer = self.planned(raw=raw if self.agent == "codex" else json.dumps({"result": raw})).ask(
            ASK, never
        )
        assert isinstance(answer, Failure)
        assert answer.kind is FailureKind.UNREADABLE

    def test_an_agent_that_takes_too_long_is_ended(self) -> None:
        """Its process group goes with it, and what it used is not known."""
        begun = time.monotonic()
        answer = self.planned(sleep=60, answer={}).ask(
            Request(ASK.system, ASK.messages, timeout_seconds=0.5), never
        )
        assert isinstance(answer, Failure)
        assert (answer.kind, answer.known) == (FailureKind.TIMEOUT, False)
        assert time.monotonic() - begun < 10


class TestClaude(AgentContract):
    """`claude -p`."""

    agent = "claude"

    def test_its_own_tools_are_off(self) -> None:
        """The flags say so."""
        self.planned(answer={"calls": []}).ask(ASK, never)
        argv = self.log()["argv"]
        assert argv[argv.index("--tools") + 1] == ""
        assert "--no-session-persistence" in argv
        assert "CLAUDE_CONFIG_DIR" in self.log()["env"]


class TestCodex(AgentContract):
    """`codex exec`."""

    agent = "codex"

    def test_its_own_tools_are_off(self) -> None:
        """Features this version knows are switched off by name; one it does not know is not mentioned."""
        self.planned(answer={"calls": []}).ask(ASK, never)
        argv = self.log()["argv"]
        assert [argv[n + 1] for n, word in enumerate(argv) if word == "--disable"] == ["shell_tool"]
        assert "read-only" in argv
        assert "--ephemeral" in argv


@pytest.mark.parametrize(
    ("program", "why"), [("gemini", "only claude and codex"), ("/nowhere/claude", "not installed")]
)
def test_an_agent_that_cannot_be_asked_is_refused_by_name(program: str, why: str, tmp_path: Path) -> None:
    """Before anything is read."""
    with pytest.raises(RefusedError, match=why):
        AgentModel(program, tmp_path, {"PATH": "/usr/bin"})
