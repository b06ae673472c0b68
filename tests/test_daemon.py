"""The daemon, as a process: it reads, decides and launches by itself, says why it does not, and ends cleanly."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from slowwave import lock
from slowwave.store import runs
from tests.models.server import ModelServer, text, tools

from .installation import AT_ONCE, INSTANCE, OTHER_WISH, WISH, Installation, until

TRAILERS = ("Dream-Id", "Trigger", "Reflector", "Sources", "Sandbox-Level", "Instance-Id")


@pytest.fixture
def machine(tmp_path: Path) -> Installation:
    """A machine on which slowwave has started once, and where nothing waits for quiet."""
    machine = Installation(tmp_path)
    machine.settings(AT_ONCE)
    return machine.begin()


def trailers(machine: Installation) -> dict[str, str]:
    """The trailers of the newest commit on main."""
    found = machine.git("log", "-1", "--format=%(trailers:unfold,only)", "main").splitlines()
    return {name: value for name, _, value in (line.partition(": ") for line in found)}


def counted(machine: Installation) -> int:
    """The steps that count towards the next dream of the only project."""
    gates = machine.json("status")["gates"]
    return int(gates[0]["steps"]) if gates else 0


# ---------------------------------------------------------------------- reading and dreaming
def test_what_an_agent_writes_is_read_while_it_runs(machine: Installation) -> None:
    """A turn appended to a file, and one in a new file, are counted within moments, with a reason to hold."""
    session = machine.session("one").turn("Please look around.", steps=4)
    with machine.daemon() as daemon:
        until(lambda: counted(machine) == 4, "the turns there were")
        session.turn("And once more.", steps=3)
        until(lambda: counted(machine) == 7, "an appended turn")
        machine.session("two").turn("Another conversation.", steps=2)
        until(lambda: counted(machine) == 9, "a new session")
        told = machine.json("status")
        assert told["daemon"] == f"running (process {daemon.process.pid})"
        assert told["gates"][0]["reason"] == "9 of 25 steps, no compaction"
    assert "dream" not in daemon.said()


def test_it_dreams_by_itself_after_25_steps(machine: Installation) -> None:
    """24 steps are not enough; with the 25th one dream runs, one merge commit lands, and it says why."""
    session = machine.session("one").turn(WISH, steps=20).turn("Go on.", steps=4)
    with machine.daemon() as daemon:
        until(lambda: counted(machine) == 24, "24 steps")
        session.turn("The last bit.", steps=1)
        daemon.hears(": merged")
        until(lambda: counted(machine) == 0, "a fresh count")
        time.sleep(1.5)  # and it stays at one
    assert daemon.said().count("started") == 1
    assert len(machine.merges()) == 1
    assert machine.remembered(WISH) == 1
    assert machine.git("rev-list", "--parents", "-1", "main").count(" ") == 2
    said = trailers(machine)
    assert all(said.get(name) for name in TRAILERS), said
    assert (said["Trigger"], said["Reflector"], said["Instance-Id"]) == ("step_count", "offline", INSTANCE)
    assert said["Sources"].startswith(f"claude-code {session.session_id} 0..3 sha256:")
    assert said["Dream-Id"] == machine.merges()[0]


def test_it_dreams_by_itself_on_a_compaction(machine: Installation) -> None:
    """A compaction is enough, however few the steps, and is answered once."""
    with machine.daemon() as daemon:
        session = machine.session("one").turn(WISH, steps=2).compaction()
        daemon.hears(": merged")
        session.turn("Go on.", steps=2)
        until(lambda: counted(machine) == 2, "the turn after it")
        time.sleep(1.2)
    assert trailers(machine)["Trigger"] == "compaction_event"
    assert len(machine.merges()) == 1
    assert machine.remembered(WISH) == 1


def test_it_dreams_by_itself_with_a_model(machine: Installation) -> None:
    """The person chose one: a compaction is enough, the line lands, and its cost stands in the log."""
    session = machine.session("one")
    cited = [{"session": session.session_id, "turn": 1, "role": "user", "quote": WISH}]
    learn = {"path": "system/rules.md", "text": WISH, "description": "Rules", "evidence": cited}
    with ModelServer([tools(("learn", learn)), text("done")]).running() as server:
        model = f'[model]\nname = "claude-sonnet-5-5"\nbase_url = "{server.url}"\n'
        machine.settings(AT_ONCE.replace("[daemon]", f'reflector = "anthropic"\n{model}[daemon]'))
        with machine.daemon() as daemon:
            session.turn(WISH, steps=2).compaction()
            daemon.hears(": merged")
    assert machine.remembered(WISH) >= 1
    assert len(server.bodies) == 2
    [line] = machine.json("log")["dreams"]
    assert (line["reflector"], line["tokens"], line["cost_usd"]) == ("anthropic", 2100, 0.005)


def test_off_means_off(machine: Installation) -> None:
    """With triggers off it reads and never dreams; status says why, and a person's dream works beside it."""
    machine.settings(AT_ONCE.replace("[daemon]", 'triggers = ["off"]\n[daemon]'))
    with machine.daemon() as daemon:
        machine.session("one").turn(WISH, steps=30).compaction()
        until(lambda: counted(machine) == 30, "30 steps")
        time.sleep(1.5)
        [gate] = machine.json("status")["gates"]
        assert gate["decision"] == "hold"
        assert "off" in gate["reason"]
        assert not machine.memory.exists() or machine.merges() == []
        assert machine.json("dream")["outcome"] == "merged"
    assert "started" not in daemon.said()


def test_it_waits_for_the_end_of_a_turn(machine: Installation) -> None:
    """A project in the middle of a turn is left alone; the dream comes with the end of the turn."""
    session = machine.session("one").turn(WISH, steps=30).turn("Go on.", steps=2, ends=False)
    with machine.daemon() as daemon:
        until(lambda: counted(machine) == 30, "30 steps")
        time.sleep(1.2)
        assert "in the middle of a turn" in machine.json("status")["gates"][0]["reason"]
        session.turn("Never mind, thanks.")
        daemon.hears(": merged")
    assert machine.remembered(WISH) == 1


def test_review_keeps_its_dreams_for_a_person(machine: Installation) -> None:
    """With merge = "review" the dream runs by itself and waits; nothing reaches main."""
    machine.settings(AT_ONCE.replace("[daemon]", 'merge = "review"\n[daemon]'))
    with machine.daemon() as daemon:
        machine.session("one").turn(WISH, steps=25)
        daemon.hears(": pending")
        time.sleep(1.2)
    assert daemon.said().count("started") == 1
    assert machine.merges() == []
    assert machine.json("merge")["status"] == "merged"
    assert machine.remembered(WISH) == 1


def test_two_projects_dream_one_after_the_other(machine: Installation) -> None:
    """Each ready project gets its own dream."""
    other = machine.root / "other"
    other.mkdir()
    machine.session("one").turn(WISH, steps=25)
    machine.session("two", other).turn(OTHER_WISH, steps=25)
    with machine.daemon() as daemon:
        until(lambda: daemon.said().count(": merged") == 2, "two dreams")
    assert (machine.remembered(WISH), machine.remembered(OTHER_WISH)) == (1, 1)
    assert len(machine.merges()) == 2


def test_a_home_that_appears_later_is_picked_up(machine: Installation) -> None:
    """Started before any agent was installed, it reads the first session all the same."""
    assert not (machine.user / ".claude").exists()
    with machine.daemon() as daemon:
        time.sleep(0.5)
        session = machine.session("one").turn(WISH, steps=20)
        until(lambda: counted(machine) == 20, "the first session in a new home")
        session.turn("More.", steps=5)
        daemon.hears(": merged")
    assert machine.remembered(WISH) == 1


def test_one_unreadable_home_does_not_stop_the_others(machine: Installation) -> None:
    """When one agent's folder cannot be listed, that is said, and the other agent is read."""
    loop = machine.user / ".codex" / "sessions"
    loop.parent.mkdir()
    loop.symlink_to(loop)
    with machine.daemon() as daemon:
        machine.session("one").turn(WISH, steps=25)
        daemon.hears(": merged")
        assert f"problem: cannot list {loop}" in daemon.said()


def test_our_own_sessions_are_never_read(machine: Installation) -> None:
    """Sessions that work below our own home, or that we started, teach nothing and count nothing."""
    below = machine.own / "state" / "worktrees" / "a dream"
    machine.session("own", below).turn(WISH, steps=30).compaction()
    started = machine.session("started")
    started.turn(WISH, steps=30).compaction()
    text = started.path.read_text().replace('"entrypoint": "cli"', '"entrypoint": "slowwave-dream"')
    started.path.write_text(text)
    with machine.daemon() as daemon:
        machine.session("one").turn("Please look around.", steps=3)
        until(lambda: counted(machine) == 3, "a person's session")
        time.sleep(1.2)
        assert len(machine.json("status")["gates"]) == 1
    assert "started" not in daemon.said()
    assert machine.json("dream")["steps"] == 3
    assert machine.remembered(WISH) == 0


# ---------------------------------------------------------------------- one daemon, and its end
def test_there_is_one_daemon(machine: Installation) -> None:
    """A second one is told who runs, with exit 4; `daemon status` and `daemon stop` find it."""
    machine.run("daemon", "status", code=1)
    with machine.daemon() as daemon:
        said = machine.run("daemon", "run", code=4).stderr
        assert "already running" in said
        assert str(daemon.process.pid) in said
        assert machine.json("daemon", "status") == {"running": True, "pid": daemon.process.pid}
        assert machine.run("daemon", "stop").stdout == "stopped\n"
        assert daemon.process.wait(5) == 0
    assert machine.json("daemon", "status", code=1) == {"running": False, "pid": None}
    machine.run("daemon", "stop", code=2)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(machine: Installation, number: int) -> None:
    """Exit 0, the lock free, no process left, and the next one starts at once."""
    for _ in range(2):
        with machine.daemon() as daemon:
            assert daemon.stop(number) == 0
        assert not lock.is_held(machine.own / "run" / "daemon.lock")
        assert machine.nothing_runs()


def test_a_signal_before_it_watches_ends_it_too(machine: Installation) -> None:
    """SIGTERM at any moment of the start leaves neither a process nor the lock."""
    machine.session("one").turn(WISH)
    machine.run("dream")  # a memory repository, so that the start has something to recover
    for delay in (0.15, 0.2, 0.25, 0.3, 0.4):
        process = machine.start("daemon", "run")
        time.sleep(delay)
        process.terminate()
        _, said = process.communicate(timeout=20)
        assert process.returncode in {0, -signal.SIGTERM}
        assert "Traceback" not in said
        assert machine.nothing_runs()
    with machine.daemon() as daemon:
        assert daemon.stop() == 0


def test_it_takes_a_running_dream_with_it(machine: Installation) -> None:
    """SIGTERM while a dream reflects ends both; the dream is interrupted, and a later one learns it once."""
    machine.long_history()
    with machine.daemon() as daemon:
        until(lambda: machine.step() == "worktree", "a dream that reflects")
        assert daemon.stop() == 0
    assert "interrupted" in daemon.said()
    assert machine.nothing_runs()
    assert machine.merges() == []
    assert list((machine.own / "state" / "worktrees").iterdir()) == []
    with machine.daemon() as daemon:
        daemon.hears(": merged")
        assert daemon.stop() == 0
    assert machine.remembered(WISH) == 1
    assert len(machine.merges()) == 1


def test_it_goes_on_when_nobody_reads_what_it_says(machine: Installation) -> None:
    """A log on a full disk costs the log, not the dreams."""
    if not Path("/dev/full").exists():
        pytest.skip("NOT TESTED HERE: no /dev/full")
    log = machine.root / "daemon.txt"
    log.symlink_to("/dev/full")
    machine.session("one").turn(WISH, steps=25)
    with log.open("w") as full:
        process = subprocess.Popen(
            machine.command("daemon", "run"), env=machine.env, stdout=full, stderr=subprocess.PIPE, text=True
        )
        try:
            until(
                lambda: [d["status"] for d in machine.json("log")["dreams"]] == ["merged"],
                "a dream in silence",
            )
        finally:
            process.terminate()
            _, said = process.communicate(timeout=20)
    assert process.returncode == 1  # what it said last was lost, and that is told
    assert "No space left" in said
    assert "Traceback" not in said
    assert machine.remembered(WISH) == 1


# ---------------------------------------------------------------------- kills
def test_a_killed_daemon_forgets_nothing(machine: Installation) -> None:
    """Steps and compaction marks counted before SIGKILL count after the restart, once."""
    session = machine.session("one").turn(WISH, steps=20)
    other = machine.root / "other"
    other.mkdir()
    compacted = machine.session("two", other).turn(OTHER_WISH, steps=2).compaction()
    compacted.turn("Go on.", steps=2, ends=False)  # which holds the dream back
    with machine.daemon() as daemon:
        until(lambda: {g["steps"] for g in machine.json("status")["gates"]} == {20, 2}, "both sessions")
        daemon.process.kill()
        daemon.process.wait()
    assert "started" not in daemon.said()
    marks = {g["project"]: g["compaction_marks"] for g in machine.json("status")["gates"]}
    assert marks == {"harbor": 0, "other": 1}
    with machine.daemon() as daemon:
        session.turn("More.", steps=5)
        compacted.turn("Thanks.")
        until(lambda: daemon.said().count(": merged") == 2, "both dreams")
        time.sleep(1.2)
    assert len(machine.merges()) == 2
    assert (machine.remembered(WISH), machine.remembered(OTHER_WISH)) == (1, 1)


def test_a_dream_outlives_a_killed_daemon(machine: Installation) -> None:
    """SIGKILL of the daemon leaves its dream alone; the next daemon waits for it and nothing is dreamed twice."""
    machine.long_history()
    with machine.daemon() as daemon:
        until(lambda: machine.step() == "worktree", "a dream that reflects")
        daemon.process.kill()
        daemon.process.wait()
    with machine.daemon():
        until(lambda: counted(machine) == 0, "the dream of the daemon before")
        time.sleep(1.2)
    assert len(machine.merges()) == 1
    assert machine.remembered(WISH) == 1
    until(machine.nothing_runs, "no process left")


def test_both_killed_is_learned_once(machine: Installation) -> None:
    """SIGKILL of the daemon and of its dream; the next daemon dreams again, with the same lesson once."""
    machine.long_history()
    with machine.daemon() as daemon:
        until(lambda: machine.step() == "worktree", "a dream that reflects")
        daemon.process.kill()
        for number in machine.processes():
            os.kill(number, signal.SIGKILL)
        daemon.process.wait()
    until(machine.nothing_runs, "no process left")
    with machine.daemon() as daemon:
        daemon.hears(": merged", 40)
    assert len(machine.merges()) == 1
    assert machine.remembered(WISH) == 1


def test_a_dream_that_dies_is_noted_and_waited_for(machine: Installation) -> None:
    """A dream killed under the daemon has failed, with its reason; the next try backs off, a person's does not."""
    machine.long_history()
    with machine.daemon() as daemon:
        until(lambda: machine.step() == "worktree", "a dream that reflects")
        with machine.store() as db:
            held = runs.current_lease(db, time.time())
        assert held
        os.kill(held.pid, signal.SIGKILL)
        daemon.hears(": failed")
        time.sleep(1.5)
        assert daemon.said().count("started") == 1
        told = machine.json("status")
        assert "next try in" in told["gates"][0]["reason"]
        assert "exit code -9" in told["last_failure"]
        assert machine.json("dream")["outcome"] == "merged"
    assert machine.remembered(WISH) == 1


def test_a_dream_that_cannot_start_is_noted_with_its_reason(machine: Installation) -> None:
    """Where memory is no repository, status says so in words; after the repair a person's dream lands."""
    machine.memory.mkdir()
    (machine.memory / "notes.txt").write_text("mine")
    machine.session("one").turn(WISH, steps=25)
    with machine.daemon() as daemon:
        daemon.hears(": failed")
        assert "no git repository" in machine.json("status")["last_failure"]
        assert "next try in" in machine.json("status")["gates"][0]["reason"]
    (machine.memory / "notes.txt").unlink()
    assert machine.json("dream")["outcome"] == "merged"
    assert machine.remembered(WISH) == 1


def test_it_names_only_places_that_exist(tmp_path: Path) -> None:
    """At its start it names the folders there are, and says so when there is none."""
    machine = Installation(tmp_path)
    with machine.daemon() as daemon:
        assert "none has a folder here yet" in daemon.said()
    machine.session("one").turn("Please look around.")
    with machine.daemon() as daemon:
        line = next(line for line in daemon.said().splitlines() if "watching" in line)
        assert line.endswith(f"watching 1 file(s) below {machine.user / '.claude' / 'projects'}")
