"""The scripted model: plays what it is given, and remembers what it was asked.

A script is a list of answers, or a function that sees the question; when a list is at its end the model has
nothing to say. It is the fake of tests and benchmarks and passes the contract of every model. Doorway 4.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from slowwave.model import Usage
from slowwave.models.protocol import Answer, Failure, FailureKind, Reply, Request, Stop, Text, ToolCall

USED = Usage(input=1000, output=50)


def says(text: str, usage: Usage = USED) -> Reply:
    """An answer in words."""
    return Reply((Text(text),), Stop.END, usage)


def calls(*wanted: tuple[str, Mapping[str, Any]], usage: Usage = USED, first: int = 1) -> Reply:
    """An answer that wants tools. `first` numbers the calls."""
    blocks = tuple(ToolCall(f"call-{n}", name, given) for n, (name, given) in enumerate(wanted, first))
    return Reply(blocks, Stop.TOOLS, usage)


@dataclass
class ScriptedModel:
    """A model that plays a script. `asked` holds every question, in order."""

    script: Iterable[Answer] | Callable[[Request], Answer] = ()
    name: str = "scripted"
    endpoint: str = "here"
    converses: bool = True
    asked: list[Request] = field(default_factory=list)

    def __post_init__(self) -> None:
        script = self.script
        if callable(script):
            self._play = script
        else:
            answers = iter(script)
            self._play = lambda _: next(answers, says("done"))

    def ask(self, request: Request, cancelled: Callable[[], bool]) -> Answer:
        """Play the next answer."""
        if cancelled():
            return Failure(FailureKind.CANCELLED, "asked to stop")
        self.asked.append(request)
        return self._play(request)
