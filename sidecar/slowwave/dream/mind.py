"""The reflector that is a model: it reads a batch as quoted data, and edits memory by the tools of `hands`.

One pass is a conversation: the batch, then the model's calls and what came of them, until it has nothing more to do.
A model that cannot converse (a coding agent run headless) gives all its calls in one answer. What it says it learned
is not asked for: the report is read from what it did. Lines that would not pass are told to it once, and taken back
when they stay. Engine 1.
"""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from slowwave.dream import prompting
from slowwave.dream.hands import SHELL, TOOLS, Hands, bring_back, learned_between, memory_of
from slowwave.dream.kept import Kept
from slowwave.dream.metered import MeteredModel, tokens_at_most
from slowwave.dream.reflector import Reflection, ReflectionContext, Toolbox
from slowwave.dream.worth import worth_asking
from slowwave.errors import BudgetError, ModelError
from slowwave.memory import layout
from slowwave.model import Snapshot
from slowwave.models.protocol import (
    Block,
    FailureKind,
    Message,
    Reply,
    Request,
    Speaker,
    Stop,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)
from slowwave.report import BatchForeseen, Foreseen

_SHORTER = (prompting.LONGEST_ENTRY, 1_500, 400)
"""Characters of an entry that are shown: when a model says it is too much, the next."""
_MOST_CUT = 3  # answers cut short by max_tokens in a row before the pass is given up


def random_marker() -> str:
    """A marker no transcript can know."""
    return secrets.token_hex(8)


@dataclass
class ModelReflector:
    """A model as a reflector.

    calls   the most questions of one pass
    redact  takes secrets out of everything that is sent or written
    kept    batches that a killed dream has paid for
    shell   whether it is offered one, inside its walls
    """

    name: str
    meter: MeteredModel
    redact: Callable[[str], str]
    max_tokens: int
    timeout_seconds: float
    kept: Kept
    calls: int = 40
    marker: Callable[[], str] = random_marker
    costs_money: bool = True
    persuadable: bool = True
    shell: bool = False

    def reflect(self, context: ReflectionContext, toolbox: Toolbox) -> Reflection:
        """One pass over one batch, when it is worth asking or the person asked for something in particular."""
        if not context.instruction and not worth_asking(context.batch):
            return Reflection(asked=False)
        hands = Hands(toolbox, context.batch, context.project, self.redact)
        told = str(prompting.prompt("reflect"))
        key = self.kept.key(context.batch, hands.before, context.instruction, self.meter.model.name, told)
        if paid := self.kept.take(key):
            bring_back(toolbox, paid[0])
            return Reflection(paid[1])
        done = self._shorter_and_shorter(context, hands)
        self.kept.put(key, memory_of(toolbox), done.learned)
        return done

    def _shorter_and_shorter(self, context: ReflectionContext, hands: Hands) -> Reflection:
        """One pass; when the model says that it is too much, another that shows less of long entries."""
        for longest in _SHORTER:
            first = self._first(context, context.batch, hands.before, longest)
            try:
                return self._pass("reflect", first, hands)
            except ModelError as error:
                if error.kind != FailureKind.TOO_LONG or longest == _SHORTER[-1]:
                    raise
                bring_back(hands.toolbox, hands.before)
        raise AssertionError  # the last round returns or raises

    def foresee(
        self, context: ReflectionContext, batches: Sequence[tuple[Snapshot, ...]], toolbox: Toolbox
    ) -> Foreseen:
        """What would be asked first about each batch, and the most it can cost."""
        memory, told = memory_of(toolbox), prompting.prompt("reflect")
        seen = []
        for batch in batches:
            message = Message(Speaker.USER, (Text(self.redact(self._first(context, batch, memory))),))
            tokens = tokens_at_most(Request(told.text, (message,), self._tools, self.max_tokens))
            seen.append(BatchForeseen(
                len(batch), sum(len(s.turns) for s in batch), tokens + self.max_tokens,
                self.meter.price.at_most(tokens, self.max_tokens), bool(context.instruction) or worth_asking(batch),
            ))  # fmt: skip
        model, budget = self.meter.model, self.meter.budget
        return Foreseen(model.name, model.endpoint, tuple(seen), budget.run_usd, budget.run_tokens)

    def aggregate(self, context: ReflectionContext, toolbox: Toolbox, base: Mapping[str, str]) -> None:
        """Make one memory of what the passes over several batches have added to `base`."""
        added = {path: list(lines) for path, lines in new_lines(base, memory_of(toolbox))}
        if sum(map(len, added.values())) < 2:
            return
        hands = Hands(toolbox, context.batch, context.project, self.redact)
        self._pass("aggregate", prompting.aggregate_message(added, context.project, self.marker), hands)

    # ------------------------------------------------------------------ one pass
    @property
    def _tools(self) -> tuple[Tool, ...]:
        """A model that sees no results has no use for the tools that only show."""
        return (
            (*TOOLS, *((SHELL,) if self.shell else ()))
            if self.meter.model.converses
            else tuple(t for t in TOOLS if t.name not in {"list", "view"})
        )

    def _first(
        self, context: ReflectionContext, batch: Sequence[Snapshot], memory: Mapping[str, str],
        longest: int = prompting.LONGEST_ENTRY,
    ) -> str:  # fmt: skip
        return prompting.first_message(
            batch, memory, context.project, context.instruction, self.marker, longest,
            whole_memory=not self.meter.model.converses,
        )  # fmt: skip

    def _pass(self, prompt: str, first: str, hands: Hands) -> Reflection:
        told = prompting.prompt(prompt)
        messages = [Message(Speaker.USER, (Text(self.redact(first)),))]
        self._converse(told, messages, hands)
        if left := flaws_of(hands):
            if self.meter.model.converses:
                messages.append(Message(Speaker.USER, (Text(self.redact(_objection(left))),)))
                self._converse(told, messages, hands)
            _take_back(hands)
        return Reflection(learned_between(hands.before, memory_of(hands.toolbox)))

    def _converse(self, told: prompting.Prompt, messages: list[Message], hands: Hands) -> None:
        """Ask, do what is called for, and ask again; the messages grow in place.

        A budget that is used up in the middle ends the pass as its last question does: what it has learned is kept,
        or the same batch would use up the next budget too, for ever.
        """
        cut = 0
        for _ in range(self.calls):
            request = Request(told.text, tuple(messages), self._tools, self.max_tokens, self.timeout_seconds)
            try:
                reply = self.meter.ask(request, str(told))
            except BudgetError:
                if len(messages) == 1:
                    raise
                return
            messages.append(Message(Speaker.ASSISTANT, self._replayed(reply.blocks)))
            cut = cut + 1 if reply.stop is Stop.MAX_TOKENS else 0
            if cut >= _MOST_CUT:
                raise ModelError(
                    f"the model's answers were cut short {cut} times",
                    kind="max_tokens",
                    hint="raise model.max_tokens",
                )
            results = [hands.act(call) for call in reply.calls]
            if not self._goes_on(reply, results):
                return
            messages.append(Message(Speaker.USER, _answer(reply, results)))

    def _replayed(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        """What the model said, as it goes back to it: a secret it came to know is not sent a second time."""
        return tuple(self._without_secrets(b) for b in blocks) or (Text("(nothing)"),)

    def _without_secrets(self, block: Block) -> Block:
        match block:
            case Text(text=said):
                return Text(self.redact(said))
            case ToolCall(input=given):
                return replace(block, input={k: _each_text(v, self.redact) for k, v in given.items()})
            case _:
                return block

    def _goes_on(self, reply: Reply, results: Sequence[ToolResult]) -> bool:
        """Whether there is something left to say: results to see, or an answer that was cut short."""
        if not self.meter.model.converses:
            return False
        return bool(results) or reply.stop is Stop.MAX_TOKENS


def _each_text(value: Any, act: Callable[[str], str]) -> Any:
    """A JSON value with something done to every text in it."""
    if isinstance(value, str):
        return act(value)
    if isinstance(value, list):
        return [_each_text(each, act) for each in value]
    if isinstance(value, dict):
        return {key: _each_text(each, act) for key, each in value.items()}
    return value


def _answer(reply: Reply, results: Sequence[ToolResult]) -> tuple[Block, ...]:
    if reply.stop is Stop.MAX_TOKENS:
        return (*results, Text("Your answer was cut short. Go on, with less in one answer."))
    return tuple(results)


# ---------------------------------------------------------------------- what would not pass
def new_lines(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
    """The entries of each file that were not there before, as they stand."""
    for path, text in sorted(after.items()):
        known = {i.raw for i in layout.items(layout.parse(path, before.get(path, "")).body)}
        fresh = [i.raw for i in layout.items(layout.parse(path, text).body) if i.raw not in known]
        if fresh:
            yield path, fresh


def flaws_of(hands: Hands) -> dict[str, list[str]]:
    """What is wrong with the files a pass has written, by path: what validation would refuse, seen early."""
    found: dict[str, list[str]] = {}
    now = memory_of(hands.toolbox)
    for path in sorted({*now, *hands.before}):
        text = now.get(path, "")
        if hands.before.get(path) != text and (wrong := list(hands.flaws(path, text))):
            found[path] = wrong
    return found


def _objection(flaws: Mapping[str, Sequence[str]]) -> str:
    lines = [f"- {path}: {each}" for path, all_ in flaws.items() for each in all_]
    return "These edits will not be accepted. Mend them, or take them back:\n" + "\n".join(lines)


def _take_back(hands: Hands) -> None:
    """Files that would still be refused become what they were before this pass."""
    wrong = flaws_of(hands)
    kept = {p: t for p, t in memory_of(hands.toolbox).items() if p not in wrong}
    bring_back(hands.toolbox, kept | {p: hands.before[p] for p in wrong if p in hands.before})
