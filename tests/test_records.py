"""Records, as a person meets them on the command line and through the daemon."""

import json
import time
from pathlib import Path

import pytest

from .installation import AT_ONCE, Installation, tree, until


@pytest.fixture
def machine(tmp_path: Path) -> Installation:
    """An installation that has started once, so that what comes is new."""
    return Installation(tmp_path).begin()


def test_every_turn_leaves_an_episode(machine: Installation) -> None:
    """What was asked and done, how it ended, with files and commands; once, however often the file is read."""
    machine.session("one").turn("Please look around.", steps=2).turn("And fix it.", steps=1)
    for _ in range(2):
        machine.run("dream")
    with machine.store() as db:
        rows = [dict(r) for r in db.rows("SELECT * FROM records WHERE type = 'episodic' ORDER BY id")]
    assert [r["content"].splitlines()[0] for r in rows] == [
        "Asked: Please look around.",
        "Asked: And fix it.",
    ]
    assert {r["scope"] for r in rows} == {"harbor"}
    assert [json.loads(r["metadata"])["turn"] for r in rows] == [1, 2]
    assert {json.loads(r["metadata"])["outcome"] for r in rows} == {"completed"}


def test_a_person_remembers_and_reflects(machine: Installation) -> None:
    """Three equal episodes become a fact that recall finds; secrets are taken out; the audit tells it all."""
    for _ in range(3):
        told = machine.json("remember", "run make check, password=hunter2hunter2", "--type", "episodic")
        assert "hunter2" not in json.dumps(told)
    before = tree(machine.own / "memory") if machine.memory.exists() else {}
    dry = machine.json("reflect", "--dry-run")
    assert (tree(machine.own / "memory") if machine.memory.exists() else {}) == before
    real = machine.json("reflect")
    for name in ("summarize", "promote", "expire", "decay", "archive"):
        assert dry[name]["count"] == real[name]["count"]
        assert [c["id"] for c in dry[name]["candidates"]] == [c["id"] for c in real[name]["candidates"]]
    assert real["promote"]["count"] == 1
    audit = machine.json("log", "--audit", "--limit", "100")["audit"]
    assert set(real["audit_ids"]) <= {a["id"] for a in audit}
    fact = real["promote"]["candidates"][0]
    assert fact["file"] in {h["path"] for h in machine.json("recall", "make check")["hits"]}
    assert machine.json("explain", fact["id"])["provenance"]["sources"][0]["state"] == "superseded"
    assert machine.json("forget", fact["id"])["commit"]
    assert fact["file"] not in {h["path"] for h in machine.json("recall", "make check")["hits"]}
    machine.json("restore", fact["id"])
    assert fact["file"] in {h["path"] for h in machine.json("recall", "make check")["hits"]}


def test_an_expired_file_is_not_recalled(machine: Installation) -> None:
    """What is past its expiry is not recalled, before any pass has taken it away."""
    machine.json("remember", "the harbor port is 8080", "--expires", "2020-01-01")
    assert machine.memory.joinpath("reference").exists()
    assert machine.json("recall", "harbor port")["hits"] == []


def test_what_is_recalled_is_in_use(machine: Installation) -> None:
    """Recall notes the use of what it shows, and the next act folds it into the record."""
    told = machine.json("remember", "the harbor port is 8080")
    machine.json("recall", "harbor port")
    found = machine.json("explain", told["id"])["record"]
    assert found["last_accessed_at"] > found["created_at"]


def test_export_and_import(machine: Installation, tmp_path: Path) -> None:
    """What one installation wrote out, another takes in, and recalls."""
    machine.json("remember", "the harbor port is 8080")
    out = str(tmp_path / "out")
    assert machine.json("export", out)["records"] == 1
    other = Installation(tmp_path / "other").begin()
    assert other.json("import", out)["files"] == 1
    assert other.json("recall", "harbor port")["hits"]
    assert other.json("import", out)["records"] == 0


def test_mistakes_are_told(machine: Installation) -> None:
    """An unknown record, action, time or place is a usage error that says what would be right."""
    assert "no record" in machine.run("pin", "nothing", code=2).stderr
    assert "there is no action" in machine.run("reflect", "--actions", "dream", code=2).stderr
    assert "no date or time" in machine.run("reflect", "--since", "soon", code=2).stderr
    assert "KEY=VALUE" in machine.run("remember", "x", "--metadata", "y", code=2).stderr
    assert "no place" in machine.run("remember", "x", "--path", "elsewhere.md", code=2).stderr


def test_the_daemon_catches_up_once(machine: Installation) -> None:
    """With a daily schedule and days missed it runs one pass, says how many were missed, and status shows the next."""
    machine.settings(f'{AT_ONCE}[lifecycle]\nschedule = "daily"\ntimezone = "Europe/Helsinki"\n')
    machine.json("remember", "something", "--type", "working")
    late = int((time.time() - 5 * 86_400) * 1_000_000)
    with machine.store() as db, db.transaction():
        db.execute("INSERT INTO meta (name, value) VALUES ('lifecycle.scheduled_through', ?)", (str(late),))
    with machine.daemon() as daemon:
        daemon.hears("maintenance done")
        until(lambda: "daily, last answered for" in machine.json("status")["maintenance"], "the schedule")
    assert daemon.said().count("maintenance started; 4 before it were missed") == 1
    audit = machine.json("log", "--audit")["audit"]
    assert [a["reason"] for a in audit if a["action"] == "reflect"] == ["scheduled"]


def test_manual_means_never_by_itself(machine: Installation) -> None:
    """Without a schedule the daemon runs no pass, and status says so."""
    machine.json("remember", "something", "--type", "working")
    with machine.daemon() as daemon:
        time.sleep(2)
        assert machine.json("status")["maintenance"] == "manual: only when you ask"
    assert "maintenance" not in daemon.said()
    assert not [a for a in machine.json("log", "--audit")["audit"] if a["action"] == "reflect"]
