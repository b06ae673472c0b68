"""Broken surroundings: folders that cannot be read, settings, disks and repositories gone wrong.

The same three things each time: words instead of a traceback, the right exit code, and nothing lost: after
the repair a dream learns what it would have learned before.
"""

import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from .installation import AT_ONCE, OTHER_WISH, WISH, Installation, tree, until


@pytest.fixture
def machine(tmp_path: Path) -> Installation:
    """A machine on which slowwave has started once, in folders that shells trip over."""
    return Installation(tmp_path / "mäschine $HOME ~ 'x'").begin()


@pytest.fixture
def dreamed(machine: Installation) -> Installation:
    """The same after one dream, with a second wish still to be learned."""
    machine.session("one").turn(OTHER_WISH)
    machine.run("dream")
    machine.session("two").turn(WISH, steps=3)
    return machine


def learns(machine: Installation, wish: str = WISH) -> None:
    """After the repair a dream learns it, once."""
    assert machine.json("dream")["outcome"] == "merged"
    assert machine.remembered(wish) == 1


def refused(machine: Installation, *words: str, code: int = 1) -> str:
    """A call that fails with words and, asked for JSON, with an object that says the same."""
    said = machine.run(*words, code=code).stderr
    assert said.startswith("slowwave: ")
    error = machine.json(*words, code=code)["error"]
    assert error["exit_code"] == code
    assert error["problems"]
    return said


# ---------------------------------------------------------------------- transcripts
def _loop(path: Path) -> None:
    path.symlink_to(path)


def _too_long(path: Path) -> None:
    path.symlink_to("x" * 300)


@pytest.mark.parametrize("spoil", [_loop, _too_long], ids=["ELOOP", "ENAMETOOLONG"])
def test_a_folder_that_cannot_be_listed_is_named(machine: Installation, spoil: Any) -> None:
    """A home of an agent that is broken is an error with its path, never "nothing"; doctor names it too."""
    machine.session("one").turn(WISH)
    projects = machine.user / ".claude" / "projects"
    aside = projects.rename(projects.with_name("aside"))
    spoil(projects)
    assert str(projects) in refused(machine, "dream")
    assert str(projects) in refused(machine, "dream", "--from", "claude-code")
    refused(machine, "dream", "--from", f"path:{projects}")
    found = machine.json("doctor", code=1)["findings"]
    assert [f["subject"] for f in found if f["level"] == "problem"] == ["claude-code"]
    projects.unlink()
    aside.rename(projects)
    learns(machine)


def test_a_folder_without_permission_is_named(machine: Installation) -> None:
    """A folder this user may not list is an error with its path; root, who may, is lent another user's eyes."""
    session = machine.session("one").turn(WISH)
    folder = session.path.parent
    begin: list[str] = []
    if os.geteuid() == 0:
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            pytest.skip("NOT TESTED HERE: root ignores permissions, and there is no setpriv")
        for own in (machine.own, machine.user):
            for path in (own, *own.rglob("*")):
                os.chown(path, 65534, 65534)
        begin = [setpriv, "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        if not _reaches(begin, machine):
            pytest.skip("NOT TESTED HERE: nobody may not reach the test's folder or Python")
    folder.chmod(0)
    try:
        done = _as(begin, machine)
        assert (done.returncode, f"cannot list {folder}: Permission denied" in done.stderr) == (1, True), done
    finally:
        folder.chmod(0o755)
    session.path.chmod(0)
    for _ in range(2):  # the second time as clearly as the first
        done = _as(begin, machine)
        assert (done.returncode, f"{session.path}" in done.stderr) == (1, True), done
        assert "Traceback" not in done.stderr
    session.path.chmod(0o644)
    assert '"outcome": "merged"' in _as(begin, machine).stdout


def _as(begin: list[str], machine: Installation) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*begin, *machine.command("dream", "--json")],
        cwd=machine.work, env=machine.env, capture_output=True, text=True, check=False,
    )  # fmt: skip


def _reaches(begin: list[str], machine: Installation) -> bool:
    """Whether that user gets through to the test's folder and to this Python; pytest's folders are private."""
    for parent in machine.own.parents:
        if parent.stat().st_uid == os.geteuid() and not parent.stat().st_mode & stat.S_IXOTH:
            parent.chmod(parent.stat().st_mode | stat.S_IXOTH)
    probe = subprocess.run(
        [*begin, sys.executable, "-c", "import slowwave.cli, os; os.listdir('.')"],
        cwd=machine.user, env=machine.env, capture_output=True, check=False,
    )  # fmt: skip
    return probe.returncode == 0


def test_a_pipe_in_the_place_of_a_transcript_is_left_out(machine: Installation) -> None:
    """What is no plain file never blocks a dream; when the file is back, with its old time, it is read."""
    session = machine.session("one").turn(WISH)
    machine.session("two").turn(OTHER_WISH)
    bytes_of = session.path.read_bytes()
    times = session.path.stat().st_mtime_ns
    session.path.unlink()
    os.mkfifo(session.path)
    assert machine.json("dream")["outcome"] == "merged"
    assert (machine.remembered(WISH), machine.remembered(OTHER_WISH)) == (0, 1)
    session.path.unlink()
    session.path.write_bytes(bytes_of)
    os.utime(session.path, ns=(times, times))
    learns(machine)


def test_garbage_among_transcripts_costs_the_garbage(machine: Installation) -> None:
    """Broken lines, binary, an empty file and a cut last line: the rest is learned, doctor tells the places."""
    session = machine.session("one").turn("Please look around.")
    with session.path.open("ab") as file:
        file.write(
            b'{"type": "user", "mess\n\xff\xfe\0\0garbage\n\n[1, 2]\n"text"\n{}\n' + b"[" * 5000 + b"\n"
        )
    session.turn(WISH)
    with session.path.open("ab") as file:
        file.write(b'{"type": "assistant", "message": {"cont')
    machine.session("two").append([])
    told = machine.json("dream")
    assert (told["outcome"], told["damage"] > 0) == ("merged", True), told
    assert machine.remembered(WISH) == 1
    said = machine.run("doctor").stdout
    assert f"{session.path}: " in said
    assert "damaged" in said


def test_names_that_are_no_text_are_read(machine: Installation) -> None:
    """A folder with quotes and letters of every kind is a project like any other."""
    folder = machine.root / "a: b \"c\" 'd' \\ é 日本 -rf"
    folder.mkdir()
    machine.session("one", folder).turn(WISH)
    assert machine.run("dream", cwd=folder).returncode == 0
    assert machine.remembered(WISH) == 1
    assert len(machine.merges()) == 1


def test_a_name_that_is_no_utf8_costs_at_most_itself(machine: Installation) -> None:
    """A file whose path cannot be kept as text is told or read; the others are read in any case."""
    machine.session("one").turn(WISH)
    raw = os.fsencode(machine.user / ".claude" / "projects") + b"/raw \xff\xfe"
    os.mkdir(raw)  # noqa: PTH102  a name of bytes
    session = machine.session("two").turn(OTHER_WISH)
    os.rename(session.path, raw + b"/" + os.fsencode(session.path.name))  # noqa: PTH104  a name of bytes
    machine.run("dream")
    assert machine.remembered(WISH) == 1
    machine.run("status")
    machine.run("doctor")


def test_a_line_end_in_a_folder_does_not_break_the_trailers(machine: Installation) -> None:
    """The merge commit of such a project still carries its cursor, so a lost store reads nothing twice."""
    folder = machine.root / "a\nb"
    folder.mkdir()
    machine.session("one", folder).turn(WISH)
    machine.run("dream", cwd=folder)
    assert machine.remembered(WISH) == 1
    assert len(machine.merges()) == 1
    for file in (machine.own / "data").glob("slowwave.db*"):
        file.unlink()
    machine.run("dream", "--backfill", cwd=folder)
    assert (len(machine.merges()), machine.remembered(WISH)) == (1, 1)


ODD_IDS = {
    "blank": "two words",
    "trailers": "a\\nUndoes: 2026\\nDream-Id: evil",
    "long": "x" * 5000,
    "invisible": "\\u2028y\\u202e",
    "path": "../../../etc",
    "empty": "",
}


@pytest.mark.parametrize("written", ODD_IDS.values(), ids=ODD_IDS.keys())
def test_a_session_that_calls_itself_odd_things_is_learned_from(machine: Installation, written: str) -> None:
    """What a transcript says its id is cannot break a dream, name a file, or write trailers of its own."""
    session = machine.session("one").turn(WISH)
    folder = machine.root / "copies"
    folder.mkdir()
    text = session.path.read_text().replace(
        f'"sessionId": "{session.session_id}"', f'"sessionId": "{written}"'
    )
    session.path.unlink()
    (folder / "a copy.jsonl").write_text(text)
    told = machine.json("dream", "--from", f"path:{folder}")
    assert told["outcome"] == "merged"
    assert machine.merges() == [told["dream_id"]]
    assert machine.git("log", "-1", "--format=%(trailers:key=Undoes)", "main") == ""
    for file in (machine.own / "data").glob("slowwave.db*"):
        file.unlink()
    assert machine.json("dream", "--from", f"path:{folder}")["outcome"] == "nothing_to_reflect"
    assert machine.remembered(WISH) == 1


# ---------------------------------------------------------------------- homes
@pytest.mark.parametrize(
    "words", [["dream"], ["status"], ["log"], ["id"], ["recall", "x"], ["daemon", "run"]], ids=" ".join
)
@pytest.mark.parametrize("place", ["data", "state", "run"])
def test_a_file_in_the_place_of_a_folder(tmp_path: Path, place: str, words: list[str]) -> None:
    """Where a folder of ours is a file, that is told with its path or does not matter; nothing is overwritten."""
    machine = Installation(tmp_path, {"SLOWWAVE_INSTANCE_ID": ""})
    machine.own.mkdir()
    (machine.own / place).write_text("mine")
    if words == ["id"] and place != "data":
        machine.run(*words)
    elif words == ["daemon", "run"] and place != "run":
        assert str(machine.own / place) in machine.run(*words, code=1).stderr
    else:
        assert str(machine.own / place) in machine.run(*words, code=1).stderr
    assert (machine.own / place).read_text() == "mine"
    assert machine.json("doctor", code=1)["findings"]


def test_a_home_that_is_a_file(tmp_path: Path) -> None:
    """SLOWWAVE_HOME at a file is a settings error with the path."""
    machine = Installation(tmp_path)
    machine.own.write_text("mine")
    assert str(machine.own) in machine.run("dream", code=2).stderr
    assert machine.own.read_text() == "mine"


@pytest.mark.parametrize("text", [b"[dream\n", b"\xff\xfe", b"[dream]\nstep_count = 0\n", b"dream = 1\n"])
def test_broken_settings_break_nothing_else(machine: Installation, text: bytes) -> None:
    """Exit 2 with the file's name, and when it is mended a dream learns what was waiting."""
    machine.session("one").turn(WISH)
    file = machine.own / "config.toml"
    file.write_bytes(text)
    assert str(file) in refused(machine, "dream", code=2)
    assert str(file) in machine.run("daemon", "run", code=2).stderr
    file.unlink()
    learns(machine)


def test_settings_that_are_a_folder(machine: Installation) -> None:
    """A folder where the settings file should be is exit 2 with its name."""
    (machine.own / "config.toml").mkdir()
    assert "config.toml" in refused(machine, "status", code=2)


def test_a_damaged_store_is_told_and_can_be_replaced(dreamed: Installation) -> None:
    """A store that is no database is exit 1 with its path; without it, memory's commits tell what was read."""
    store = dreamed.own / "data" / "slowwave.db"
    for file in store.parent.glob("slowwave.db*"):
        file.unlink()
    store.write_bytes(b"this is not a database, " * 1000)
    for words in (["dream"], ["status"], ["log"], ["recall", "check"]):
        assert str(store) in refused(dreamed, *words)
    store.unlink()
    told = dreamed.json("dream", "--backfill")
    assert told["outcome"] == "merged"
    assert (dreamed.remembered(WISH), dreamed.remembered(OTHER_WISH)) == (1, 1)
    assert len(dreamed.merges()) == 2


# ---------------------------------------------------------------------- the memory folder
def _plain_folder(memory: Path) -> None:
    memory.mkdir()
    (memory / "notes.md").write_text("mine")


def _file(memory: Path) -> None:
    memory.write_text("mine")


def _bare(memory: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(memory)], check=True)


def _linked(memory: Path) -> None:
    memory.mkdir()
    (memory / ".git").write_text("gitdir: /somewhere/else\n")


def _no_head(memory: Path) -> None:
    (memory / ".git").mkdir(parents=True)


@pytest.mark.parametrize("spoil", [_plain_folder, _file, _bare, _linked])
def test_a_memory_that_is_something_else_is_left_alone(machine: Installation, spoil: Any) -> None:
    """A folder of somebody's, a file, a bare repository, a linked worktree: exit 1 with the path, untouched."""
    spoil(machine.memory)
    was = tree(machine.memory.parent / "memory") if machine.memory.is_dir() else machine.memory.read_bytes()
    machine.session("one").turn(WISH)
    assert str(machine.memory) in refused(machine, "dream")
    assert str(machine.memory) in refused(machine, "dream", "--dry-run")
    assert str(machine.memory) in machine.run("doctor", code=1).stdout
    now = tree(machine.memory) if machine.memory.is_dir() else machine.memory.read_bytes()
    assert now == was
    assert machine.json("log")["dreams"] == []
    shutil.rmtree(machine.memory) if machine.memory.is_dir() else machine.memory.unlink()
    learns(machine)


def test_a_memory_with_an_empty_git_folder_is_begun(machine: Installation) -> None:
    """What a kill in the first moment leaves is completed by the next dream."""
    _no_head(machine.memory)
    machine.session("one").turn(WISH)
    learns(machine)


@pytest.mark.parametrize("words", [["undo"], ["diff"], ["dream"]], ids=" ".join)
def test_a_memory_in_the_middle_of_a_merge_waits(dreamed: Installation, words: list[str]) -> None:
    """While a person merges in there, it says so with exit 1 and leaves index and files as they are."""
    dreamed.git("switch", "-qc", "side")
    mine = dreamed.memory / "mine.txt"
    mine.write_text("one\n")
    dreamed.git("add", "mine.txt")
    dreamed.git("commit", "-qm", "one")
    dreamed.git("switch", "-q", "main")
    mine.write_text("two\n")
    dreamed.git("add", "mine.txt")
    dreamed.git("commit", "-qm", "two")
    with pytest.raises(AssertionError):
        dreamed.git("merge", "side")
    was, index = mine.read_text(), (dreamed.memory / ".git" / "index").read_bytes()
    assert "merge is in progress" in refused(dreamed, *words)
    assert (mine.read_text(), (dreamed.memory / ".git" / "index").read_bytes()) == (was, index)
    dreamed.git("merge", "--abort")
    learns(dreamed)


def test_a_memory_on_another_branch_or_none(dreamed: Installation) -> None:
    """A detached head is told; another branch of the person's is where memory then lives."""
    dreamed.git("switch", "-q", "--detach")
    assert "not on a branch" in refused(dreamed, "dream")
    dreamed.git("switch", "-q", "main")
    learns(dreamed)


def test_a_damaged_memory_is_told(dreamed: Installation) -> None:
    """Objects that are gone are exit 1 with what git can do about it; restored, the dream goes on."""
    objects = dreamed.memory / ".git" / "objects"
    aside = objects.rename(objects.with_name("aside"))
    objects.mkdir()
    assert "damaged" in refused(dreamed, "dream")
    objects.rmdir()
    aside.rename(objects)
    learns(dreamed)


def test_a_memory_that_was_removed_is_begun_anew(dreamed: Installation) -> None:
    """When a person deletes the repository the next dream starts another, with what is new."""
    shutil.rmtree(dreamed.memory)
    kept = dreamed.json("recall", "imperative")["hits"]
    assert {hit["type"] for hit in kept} <= {"episodic"}  # turns are in the store; no file answers
    assert dreamed.run("context").stdout
    learns(dreamed)


def test_a_git_that_is_locked_by_a_person(dreamed: Installation) -> None:
    """Another git at work in there (its lock file) delays the dream; nothing is lost and the lock stays."""
    held = dreamed.memory / ".git" / "index.lock"
    held.touch()
    done = dreamed.command("dream")
    code = subprocess.run(
        done, cwd=dreamed.work, env=dreamed.env, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in code.stderr
    assert code.returncode in {1, 3, 4}, code
    assert held.exists()
    held.unlink()
    if code.returncode == 3:
        dreamed.run("merge")
    else:
        dreamed.run("dream")
    assert dreamed.remembered(WISH) == 1


# ---------------------------------------------------------------------- a hostile repository
HOOKS = (
    "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout", "post-merge", "pre-merge-commit",
    "post-rewrite", "reference-transaction", "post-index-change", "pre-auto-gc", "update",
)  # fmt: skip


def test_nothing_the_repository_names_is_run(dreamed: Installation) -> None:
    """Hooks, filters, drivers and monitors of the memory repository are never started by any verb."""
    marker = dreamed.root.parent / "marker"  # no spaces here: git hands these settings to a shell
    script = dreamed.root.parent / "evil.sh"
    script.write_text(f'#!/bin/sh\necho "$0 $*" >> "{marker}"\nexit 1\n')
    script.chmod(0o755)
    git_dir = dreamed.memory / ".git"
    (git_dir / "hooks").mkdir(exist_ok=True)
    for name in HOOKS:
        (git_dir / "hooks" / name).symlink_to(script)
    (git_dir / "info").mkdir(exist_ok=True)
    (git_dir / "info" / "attributes").write_text("* filter=evil diff=evil merge=evil text eol=crlf\n")
    quoted = str(script).replace("\\", "\\\\").replace('"', '\\"')
    with (git_dir / "config").open("a") as config:
        config.write(
            f'[core]\n\tfsmonitor = "{quoted}"\n\tpager = "{quoted}"\n\teditor = "{quoted}"\n'
            f'[filter "evil"]\n\tclean = "{quoted}"\n\tsmudge = "{quoted}"\n\trequired = true\n'
            f'[diff "evil"]\n\ttextconv = "{quoted}"\n\tcommand = "{quoted}"\n[diff]\n\texternal = "{quoted}"\n'
            f'[merge "evil"]\n\tdriver = "{quoted}"\n[gpg]\n\tprogram = "{quoted}"\n[commit]\n\tgpgSign = true\n'
        )
    (dreamed.memory / "mine.txt").write_text("mine\n")
    with pytest.raises(AssertionError):
        dreamed.git("add", "mine.txt")
    assert marker.exists()  # the trap works: the person's own git does run it
    marker.unlink()
    env = {"HOME": str(dreamed.user)}
    for words, code in (
        (["dream"], 0), (["diff"], 0), (["log"], 0), (["status"], 0), (["recall", "check"], 0), (["undo"], 0),
        (["doctor"], 0), (["context"], 0), (["reindex"], 0),
    ):  # fmt: skip
        dreamed.run(*words, code=code, env=env)
        assert not marker.exists(), (words, marker.read_text())
    dreamed.session("three").turn("We always use pnpm in this project, never npm.")
    dreamed.run("dream", "--review", code=3)
    dreamed.run("merge")
    assert not marker.exists(), marker.read_text()


def test_git_variables_of_the_environment_mean_nothing(dreamed: Installation) -> None:
    """GIT_DIR and its like, as a hook of another repository would set them, lead nobody astray."""
    other = dreamed.root / "other repository"
    subprocess.run(["git", "init", "-q", str(other)], check=True, env=dreamed.env)
    was = tree(other)
    env = {
        "GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other), "GIT_INDEX_FILE": str(other / "index"),
        "GIT_OBJECT_DIRECTORY": str(other / ".git" / "objects"), "GIT_EXTERNAL_DIFF": "/bin/false",
        "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.bare", "GIT_CONFIG_VALUE_0": "true",
    }  # fmt: skip
    dreamed.run("dream", env=env)
    dreamed.run("diff", env=env)
    assert tree(other) == was
    assert dreamed.remembered(WISH) == 1


# ---------------------------------------------------------------------- disks
def _in_namespace(machine: Installation, script: str) -> str:
    """Run a shell script behind mounts only it can see; skips when this machine allows none."""
    for options in (["-m"], ["-r", "-m"]):
        probe = ["unshare", *options, "sh", "-c", "mount -t tmpfs -o size=1m none /mnt"]
        try:
            allowed = subprocess.run(probe, capture_output=True, check=False).returncode == 0
        except FileNotFoundError:
            break
        if allowed:
            argv = [
                "unshare",
                *options,
                "bash",
                "-c",
                f"set -e\n{script}",
                "test",
                *machine.command(),
                str(machine.own),
            ]
            done = subprocess.run(
                argv,
                cwd=machine.work,
                env=machine.env,
                capture_output=True,
                text=True,
                check=False,
                timeout=100,
            )
            said = done.stdout + done.stderr
            assert done.returncode == 0, said
            assert "Traceback" not in said, said
            return said
    pytest.skip("NOT TESTED HERE: no private mount namespace, so no full or read-only disk")


FULL = """
own="$4"
python="$1"
copy="$(mktemp -d)"; cp -a "$own/." "$copy/"
mount -t tmpfs -o size=6m none "$own"; cp -a "$copy/." "$own/"
left=LEFT
fill() { dd if=/dev/zero of="$own/ballast" bs=1k count=100000 2>/dev/null || true; truncate -s "-${left}k" "$own/ballast"; }
fill
code=0; "$python" -m slowwave dream || code=$?
echo "first: $code"
code=0; "$python" -m slowwave status > /dev/null || code=$?
echo "status: $code"
rm "$own/ballast"
code=0; "$python" -m slowwave dream --all || code=$?
echo "second: $code"
"$python" -m slowwave recall make check
cp -a "$own/." "$copy/"; umount "$own"; cp -a "$copy/." "$own/"; rm -r "$copy"
"""


@pytest.mark.parametrize("left", [0, 8, 40, 80, 120, 200])
def test_a_full_disk_costs_nothing_that_was_there(dreamed: Installation, left: int) -> None:
    """With no room, or a little, a dream fails in words or lands whole; with room again it is learned, once."""
    said = _in_namespace(dreamed, FULL.replace("LEFT", str(left)))
    first = int(said.split("first: ")[1].split()[0])
    assert first in {0, 1, 3}, said
    if first == 1:
        assert "slowwave: " in said or "failed" in said
    assert "second: 0" in said, said
    assert WISH in said
    assert (dreamed.remembered(WISH), dreamed.remembered(OTHER_WISH)) == (1, 1)
    assert len(dreamed.merges()) == 2
    assert dreamed.git("fsck", "--no-dangling") == ""


def test_a_read_only_home_is_told(dreamed: Installation) -> None:
    """On a read-only disk a dream fails in words; writable again, it is learned."""
    said = _in_namespace(
        dreamed,
        'mount --bind "$4" "$4"; mount -o remount,bind,ro "$4"\n'
        'for verb in dream status log "recall check" context doctor; do code=0; "$1" -m slowwave $verb || code=$?;'
        ' echo "$verb: $code"; done',
    )
    assert "dream: 1" in said, said
    learns(dreamed)


def test_the_daemon_survives_what_breaks_and_heals(tmp_path: Path) -> None:
    """Settings aside, whatever breaks while it runs is told, and after the repair it reads on."""
    machine = Installation(tmp_path)
    machine.settings(AT_ONCE)
    machine.begin()
    session = machine.session("one").turn("Please look around.", steps=3)
    projects = machine.user / ".claude" / "projects"
    with machine.daemon() as daemon:
        until(lambda: machine.json("status")["gates"], "the first session")
        aside = projects.rename(projects.with_name("aside"))
        _loop(projects)
        daemon.hears("problem: cannot list")
        projects.unlink()
        aside.rename(projects)
        session.turn(WISH, steps=22)
        daemon.hears(": merged")
        time.sleep(1.2)
    assert machine.remembered(WISH) == 1
    assert len(machine.merges()) == 1
