"""The bundled example sessions: as their script writes them, read as real ones, and good for what they show."""

import importlib.util
from pathlib import Path

import pytest

from slowwave.dream.extract import plan
from slowwave.dream.toolbox import InMemoryToolbox
from slowwave.dream.validate import Limits, Valid, WindowLoss, validate
from slowwave.model import Project, Snapshot, TurnStatus
from slowwave.transcripts.formats import FORMATS
from slowwave.transcripts.redact import Redactor
from slowwave.transcripts.snapshot import take

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
HARBOR = Project("/home/dev/harbor", "harbor", "/home/dev/harbor")
REDACTOR = Redactor(b"k" * 32)


def sessions() -> list[Snapshot]:
    """All example sessions, redacted as a dream reads them."""
    root = EXAMPLES / "transcripts"
    return [
        take(path, FORMATS[source], REDACTOR, 0, 99)
        for source in ("claude-code", "codex")
        for path in sorted((root / source).rglob("*.jsonl"))
    ]


def test_the_files_are_what_the_script_writes(tmp_path: Path) -> None:
    """Running the script again gives the same bytes."""
    spec = importlib.util.spec_from_file_location("write_sessions", EXAMPLES / "write_sessions.py")
    assert spec
    assert spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.main(tmp_path)
    written = {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*.jsonl")}
    kept = EXAMPLES / "transcripts"
    assert written == {p.relative_to(kept): p.read_bytes() for p in kept.rglob("*.jsonl")}


def test_they_read_as_real_sessions() -> None:
    """Every turn has its prompt and is closed; the refused one counts as interrupted."""
    turns = [t for s in sessions() for t in s.turns]
    assert len(turns) == 17
    assert all(t.prompts and t.closed for t in turns)
    assert sum(t.status is TurnStatus.INTERRUPTED for t in turns) == 1
    assert {s.session.cwd for s in sessions()} == {HARBOR.root}


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("projects/harbor/system/preferences.md", "uv instead of pip"),
        ("projects/harbor/system/preferences.md", "whole check before"),
        ("projects/harbor/system/preferences.md", "Lengths are always metres"),
        ("projects/harbor/system/commands.md", "`make check`"),
        ("projects/harbor/reference/fixes.md", "NODE_OPTIONS=--openssl-legacy-provider npm run map"),
        ("projects/harbor/reference/decisions.md", "not from the API, because"),
        ("projects/harbor/reference/deadlines.md", "(2026-06-12)"),
        ("projects/harbor/reference/facts.md", "(replaces: Run the tests with `uv run nox -s check`)"),
        ("projects/harbor/skills/release-it/SKILL.md", "3. Tag it and push the tag."),
        ("system/user.md", "harbour pilot"),
    ],
)
def test_they_show_every_kind_of_thing_that_is_learned(path: str, words: str) -> None:
    """Preference, correction, command, fix, decision, deadline, change, procedure and person."""
    after = {c.path: c.after or "" for c in plan(sessions(), {}, HARBOR).changes}
    assert words in after[path]


@pytest.mark.parametrize(
    "words", ["redis", "rust", "changelog", "777", "logs.example", "AKIA", "wJalr", "feet."]
)
def test_they_show_what_is_not_learned(words: str) -> None:
    """A question, a supposition, a one-off, a pasted order and a key leave no line."""
    assert not any(words in x.text for x in plan(sessions(), {}, HARBOR).learned)


def test_what_is_learned_from_them_may_land() -> None:
    """The whole change passes the checks."""
    planned = plan(sessions(), {}, HARBOR)
    box = InMemoryToolbox({c.path: c.after or "" for c in planned.changes})
    verdict = validate(
        {}, {p: t.encode() for p, t in box.files.items()}, project=HARBOR, snapshots=sessions(),
        learned=planned.learned, redactor_findings=REDACTOR.findings, window=WindowLoss(0, 0), limits=Limits(),
    )  # fmt: skip
    assert verdict == Valid()
