"""A memory folder to ask."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from slowwave.model import Hit
from slowwave.recall.answers import Answers
from slowwave.recall.search import Question

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class Memory:
    """Memory files, and questions to them."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "memory"
        self.state = tmp_path / "state"
        self.repository = tmp_path / "repository"
        self.answers = self.opened()

    def opened(self) -> Answers:
        """Another reader of the same memory."""
        return Answers(self.folder, self.state, lambda text: text)

    def write(self, path: str, *lines: str, head: str = "") -> None:
        """Write a memory file with these entries."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        items = "\n".join(f"- {line}" for line in lines)
        file.write_text(f"---\ndescription: Things\n{head}---\n{items}\n", "utf-8")

    def ask(
        self, text: str, project: str | None = None, root: Path | None = None, **filters: Any
    ) -> list[Hit]:
        """Ask, and get the hits."""
        question = Question(text, project=project, **filters)
        return self.answers.ask(question, NOW, root)

    def texts(self, text: str, project: str | None = None, **filters: Any) -> list[str]:
        """Ask, and get the texts of the hits."""
        return [hit.text for hit in self.ask(text, project, **filters)]

    def paths(self, text: str, project: str | None = "", **filters: Any) -> list[str]:
        """Ask, and get where the hits are."""
        return [hit.path for hit in self.ask(text, project, **filters)]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty memory."""
    found = Memory(tmp_path)
    yield found
    found.answers.close()
