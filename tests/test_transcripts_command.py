"""`slowwave transcripts` and the agents of `slowwave doctor`, from outside."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from .installation import Installation
from .transcripts.samples import CLAUDE, FIXTURES

KEYS = {
    "source", "session_id", "path", "kind", "project", "prompts", "steps", "text_rows", "turns_completed",
    "turns_interrupted", "turns_failed", "compactions", "inherited", "damage", "fidelity",
}  # fmt: skip
SESSION = CLAUDE / "05e05f86-0dac-469b-8886-596414ea8bba.jsonl"


def test_the_whole_folder_at_once_equals_the_ground_truth(shared: Path, tmp_path: Path) -> None:
    """Every session that real clients of nine agents wrote, counted by one call, is what was played."""
    generated = shared / "data" / "transcripts" / "generated"
    machine = Installation(tmp_path)
    sessions: list[dict[str, Any]] = machine.json("transcripts", str(generated))["sessions"]
    truth = json.loads((generated / "GROUND_TRUTH.json").read_text())
    wanted, got = {}, {}
    for group, of in truth.items():
        for key, want in of.items() if isinstance(of, dict) else ():
            old = want.get("inherited", {})
            wanted[group, key] = (
                *(want.get(n, 0) for n in ("prompts", "steps", "turns", "interrupted", "failed")),
                len(want.get("compactions", [])),
                {**{n: old.get(n, 0) for n in ("prompts", "steps", "turns")},
                 "compactions": len(old.get("compactions", []))},
            )  # fmt: skip
            (s,) = (
                s for s in sessions
                if f"/{group}/" in s["path"] and key in s["session_id"] and s["kind"] == "main"
            )  # fmt: skip
            assert s.keys() >= KEYS
            got[group, key] = (
                s["prompts"], s["steps"], s["turns_completed"], s["turns_interrupted"], s["turns_failed"],
                s["compactions"], s["inherited"],
            )  # fmt: skip
    assert got == wanted
    assert not machine.own.exists()


def test_without_paths_every_agent_found_is_counted(tmp_path: Path) -> None:
    """The sessions in the agents' own homes; with paths only those, files and folders alike."""
    machine = Installation(tmp_path)
    assert machine.json("transcripts") == {"sessions": []}
    assert "no transcript found" in machine.run("transcripts").stdout
    shutil.copytree(FIXTURES / "claude-code", machine.user / ".claude")
    shutil.copytree(FIXTURES / "codex", machine.user / ".codex")
    found = machine.json("transcripts")["sessions"]
    assert sorted(s["source"] for s in found) == ["claude-code"] * 4 + ["codex"] * 2
    one = machine.json("transcripts", str(SESSION), str(FIXTURES / "codex"))["sessions"]
    assert sorted(s["source"] for s in one) == ["claude-code", "codex", "codex"]


def test_a_table_has_a_line_for_each_session(tmp_path: Path) -> None:
    """The newest first, as many as were asked for, and a word of those left out."""
    machine = Installation(tmp_path)
    said = machine.run("transcripts", str(FIXTURES), "--limit", "2").stdout.splitlines()
    assert said[0].split()[:4] == ["agent", "session", "prompts", "steps"]
    assert len([line for line in said if line.startswith(("claude-code", "codex"))]) == 2
    assert "4 older one(s) are not shown" in said[-1]
    assert len(machine.json("transcripts", str(FIXTURES), "--limit", "2")["sessions"]) == 2
    assert len(machine.run("transcripts", str(FIXTURES), "--limit", "0").stdout.splitlines()) == 1 + 6 + 2


def test_what_a_transcript_says_cannot_steer_the_terminal(tmp_path: Path) -> None:
    """Escapes and line ends in a folder's name are shown as marks."""
    rows = SESSION.read_text("utf-8").replace('"cwd":"/home/dev/work/demo"', r'"cwd":"/home/\u001b[31m\nx"')
    path = tmp_path / SESSION.name
    path.write_text(rows, "utf-8")
    machine = Installation(tmp_path)
    said = machine.run("transcripts", str(path)).stdout
    assert "/home/\ufffd[31m\ufffdx" in said
    assert "\x1b" not in said


@pytest.mark.parametrize("what", ["missing", "unknown"])
def test_a_path_without_transcripts_is_a_usage_error(tmp_path: Path, what: str) -> None:
    """Exit 2, with the path."""
    (tmp_path / "unknown").mkdir()
    (tmp_path / "unknown" / "x.jsonl").write_text('{"a": 1}\n')
    done = Installation(tmp_path).run("transcripts", str(tmp_path / what), code=2)
    assert str(tmp_path / what) in done.stderr


def test_one_that_cannot_be_read_is_named_and_the_others_are_counted(tmp_path: Path) -> None:
    """Exit 1, the problem in words, the rest as ever."""
    machine = Installation(tmp_path)
    home = machine.user / ".local" / "share" / "opencode"
    home.mkdir(parents=True)
    (home / "opencode.db").write_bytes(b"no database")
    shutil.copytree(FIXTURES / "codex", machine.user / ".codex")
    found = machine.json("transcripts", code=1)["sessions"]
    assert [bool(s["problem"]) for s in found if s["source"] == "codex"] == [False, False]
    assert [bool(s["problem"]) for s in found if s["source"] == "opencode"] == [True]
    assert "opencode.db" in machine.run("transcripts", code=1).stderr


def agents(machine: Installation, *words: str) -> dict[str, dict[str, Any]]:
    """What the checkup tells of each agent."""
    return {a["name"]: a for a in machine.json("doctor", *words)["agents"]}


def test_the_checkup_tells_each_agent_with_its_version(tmp_path: Path) -> None:
    """Path, sessions, the version of the newest one, and how well it is understood."""
    machine = Installation(tmp_path)
    shutil.copytree(FIXTURES / "claude-code", machine.user / ".claude")
    told = agents(machine)
    claude, codex = told["claude-code"], told["codex"]
    assert (claude["found"], claude["sessions"], claude["fidelity"]) == (True, 4, "full")
    assert (claude["version"], claude["damaged"]) == ("2.1.197", [])
    assert claude["path"] == str(machine.user / ".claude" / "projects")
    assert (codex["found"], codex["sessions"], codex["version"]) == (False, 0, "")
    said = machine.run("doctor").stdout
    assert "4 session file(s) of version 2.1.197" in said
    assert "not found: codex" in said


def test_an_unknown_version_is_read_by_its_structure_and_says_so(tmp_path: Path) -> None:
    """A client newer than those it was tested with: the same counts, and a word about it."""
    machine = Installation(tmp_path)
    folder = machine.user / ".claude" / "projects" / "x"
    folder.mkdir(parents=True)
    later = SESSION.read_bytes().replace(b'"2.1.197"', b'"97.0.1"')
    (folder / SESSION.name).write_bytes(later)
    claude = agents(machine)["claude-code"]
    assert (claude["fidelity"], claude["unknown_versions"]) == ("structural", ["97.0.1"])
    assert "97.0.1 is outside those it was tested with" in machine.run("doctor").stdout
    (session,) = machine.json("transcripts")["sessions"]
    assert (session["fidelity"], session["prompts"], session["steps"]) == ("structural", 1, 2)


def test_the_checkup_names_kind_file_and_offset_of_damage(tmp_path: Path) -> None:
    """Torn, joined and invalid rows, each with its place, without a dream before; an intact file has none."""
    machine = Installation(tmp_path)
    folder = machine.user / ".claude" / "projects" / "x"
    folder.mkdir(parents=True)
    rows = SESSION.read_bytes().splitlines(keepends=True)
    broken = folder / SESSION.name
    torn, joined = rows[0][:-30] + b"\n", rows[0].rstrip() + rows[1]
    broken.write_bytes(torn + joined + b'{"type":"user","text":"\xff"}\n' + b"".join(rows[2:]))
    (folder / "07a33575-f686-5b1c-84af-5aad671c8c66.jsonl").write_bytes(b"".join(rows))
    (damaged,) = agents(machine)["claude-code"]["damaged"]
    assert damaged["path"] == str(broken)
    assert [(p["offset"], p["reason"]) for p in damaged["places"]] == [
        (0, "not valid JSON"),
        (len(torn), "two rows on one line"),
        (len(torn) + len(joined), "not valid UTF-8"),
    ]
    said = machine.run("doctor").stdout
    assert f"{broken}: 3 damaged place(s): offset 0, {len(torn)} bytes: not valid JSON" in said


def test_the_checkup_reads_the_newest_and_all_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files beyond the budget are counted as not read; with none every file is read."""
    from slowwave import doctor

    machine = Installation(tmp_path)
    shutil.copytree(FIXTURES / "codex", machine.user / ".codex")
    for name, value in machine.env.items():
        monkeypatch.setenv(name, value)
    sizes = [f.stat().st_size for f in (FIXTURES / "codex").rglob("*.jsonl")]
    for budget, everything, left in ((max(sizes), False, 1), (0, False, 2), (0, True, 0)):
        monkeypatch.setattr(doctor, "BUDGET", budget)
        told = {a["name"]: a for a in doctor.examine(machine.env, lambda: 1.0, everything=everything).agents}
        assert told["codex"]["not_read"] == left
