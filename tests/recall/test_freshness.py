"""A memory that names what is gone is marked."""

from pathlib import Path

import pytest

from slowwave.recall.freshness import Freshness
from tests.recall.conftest import Memory


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small repository with rules, scripts and a definition."""
    root = tmp_path / "repository"
    (root / "src/app").mkdir(parents=True)
    (root / "src/app/rows.py").write_text("def parse_row(line): ...\n")
    (root / "Makefile").write_text(
        "VERSION := 1\n.PHONY: check\ncheck lint: build\n\truff check\nbuild:\n\ttrue\n"
    )
    (root / "package.json").write_text('{"scripts": {"dev": "vite"}}')
    return root


@pytest.mark.parametrize(
    ("text", "stale"),
    [
        ("Rows are parsed in src/app/rows.py.", False),
        ("Rows are parsed in src/app/lines.py.", True),
        ("Generated code is in `src/gen/`, tests in src/app/rows.py", True),
        ("Run `make check` before a commit.", False),
        ("Run `make lint`.", False),
        ("Run `make deploy` on Fridays.", True),
        ("Run `make VERSION`.", True),
        ("Start it with `npm run dev`.", False),
        ("Start it with `pnpm storybook`.", True),
        ("Use `npm install`.", None),
        ("`parse_row` in `src/app/rows.py` is slow.", False),
        ("`parse_line()` in `src/app/rows.py` is slow.", True),
        ("rows.py holds the parser.", None),
        ("Ana and/or Ben owns billing; see anthropics/claude-code.", None),
        ("See https://example.org/docs/a.html and user@example.org.", None),
        ("Answer in German.", None),
        ("Never read ../secrets/key.pem.", None),
    ],
)
def test_what_a_line_names_is_looked_up(repository: Path, text: str, stale: bool | None) -> None:
    """Only what can be decided by looking is decided."""
    assert Freshness(repository).stale(text) is stale


def test_no_time_means_no_answer(repository: Path) -> None:
    """It stands between a question and its answer, so it is bounded."""
    assert Freshness(repository, budget_seconds=-1).stale("See src/app/lines.py.") is None


def test_a_hit_says_that_it_is_stale(memory: Memory, repository: Path) -> None:
    """Recall marks it, and does not hide it: the person decides."""
    memory.write("system/a.md", "Rows are parsed in src/app/lines.py.", "Rows have tabs.")
    stale = {h.text: h.stale for h in memory.ask("rows", root=repository)}
    assert stale == {"Rows are parsed in src/app/lines.py.": True, "Rows have tabs.": None}
