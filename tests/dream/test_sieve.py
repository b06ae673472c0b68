"""Laws of the offline reflector: one input, one memory, however it is told, ordered and cut."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from slowwave.dream.extract import plan
from slowwave.model import Project, Snapshot
from slowwave.transcripts.formats import FORMATS
from slowwave.transcripts.redact import Redactor
from slowwave.transcripts.snapshot import take

from .talk import says, session
from .test_examples import EXAMPLES, HARBOR

ROOT = Path(__file__).resolve().parents[2]
DEV = ROOT.parent / "shared" / "data" / "dreambench" / "dev"
PROJECTS = sorted(p.name for p in DEV.iterdir() if (p / "codex").is_dir()) if DEV.is_dir() else []
REDACTOR = Redactor(b"k" * 32)


def read(folder: Path, source: str) -> list[Snapshot]:
    """Every session of a folder, redacted as a dream reads them."""
    return [take(path, FORMATS[source], REDACTOR, 0, 9999) for path in sorted(folder.rglob("*.jsonl"))]


def dreamt(batches: Sequence[Sequence[Snapshot]], project: Project = HARBOR) -> dict[str, str]:
    """Memory after these batches, one upon the other."""
    files: dict[str, str] = {}
    for batch in batches:
        for change in plan(batch, files, project).changes:
            files.pop(change.path, None)
            if change.after is not None:
                files[change.path] = change.after
    return files


def bundled() -> list[Snapshot]:
    """The bundled example sessions of both agents, in the order of time."""
    found = [
        one for source in ("claude-code", "codex") for one in read(EXAMPLES / "transcripts" / source, source)
    ]
    return in_time(found)


def in_time(sessions: list[Snapshot]) -> list[Snapshot]:
    """Sessions as a dream takes them: the oldest first."""
    return sorted(sessions, key=lambda one: str(one.turns[0].started_at) if one.turns else "")


def test_twice_is_once() -> None:
    """The same sessions again change nothing, in one dream or in two."""
    sessions = bundled()
    once = dreamt([sessions])
    assert dreamt([sessions]) == once
    assert dreamt([sessions, sessions]) == once


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_files_does_not_matter(seed: int) -> None:
    """Lines are folded in by the time they were said, not by the order files were found in."""
    sessions = bundled()
    shuffled = random.Random(seed).sample(sessions, len(sessions))
    assert dreamt([shuffled]) == dreamt([sessions])


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_the_size_of_batches_does_not_matter(size: int) -> None:
    """However the sessions are cut, memory is the same at the end."""
    sessions = bundled()
    cut = [sessions[at : at + size] for at in range(0, len(sessions), size)]
    assert dreamt(cut) == dreamt([sessions])


def test_nothing_superseded_stands_however_many_lines_it_took() -> None:
    """One sentence that ends several lines of one file ends each of them, and the others stay whole."""
    before = session(
        [
            ("user", "release it"),
            ("call", "bun run test"),
            ("ok", "41 passed"),
            ("call", "make lint"),
            ("ok", "clean"),
        ],
        [("user", "again"), ("call", "bun run lint && bun run test-all"), ("ok", "41 passed")],
    )
    files = dreamt(
        [[before], [says("hi", "we moved from bun to deno, so its deno task test now", name="s2", days=9)]]
    )
    stand = [line for text in files.values() for line in text.splitlines() if line.startswith("- ")]
    assert [line for line in stand if "bun" in line and "(replaces:" not in line] == []
    assert "- Check the code with `make lint`." in stand
    assert sum("deno" in line for line in stand) == 1


def without_evidence(files: dict[str, str]) -> dict[str, list[str]]:
    """The lines of memory; where each was said differs from agent to agent."""
    return {
        path: [line for line in text.splitlines() if not line.strip().startswith("Evidence:")]
        for path, text in files.items()
    }


@pytest.mark.skipif(not PROJECTS, reason="the labelled sessions are no part of the project")
@pytest.mark.parametrize("name", PROJECTS)
def test_both_tellings_of_a_project_give_one_memory(name: str) -> None:
    """The same words and acts, told as Claude Code and as Codex, teach the same; so do other orders and batches."""
    project = Project(f"/home/dev/{name}", name, f"/home/dev/{name}")
    tellings = {s: in_time(read(DEV / name / s, s)) for s in ("claude-code", "codex")}
    memories = {s: dreamt([sessions], project) for s, sessions in tellings.items()}
    assert without_evidence(memories["claude-code"]) == without_evidence(memories["codex"])
    for source, sessions in tellings.items():
        assert dreamt([sessions[::-1]], project) == memories[source]
        assert dreamt([[one] for one in sessions], project) == memories[source]
