"""The red team: every known way out is tried at every level this machine can build, as root and as an ordinary user.

Judged by what changed on the host, never by what a command returned.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import slowwave
from slowwave.dream.sandbox import bubblewrap, landlock, seccomp
from slowwave.dream.sandbox.levels import Level
from slowwave.dream.sandbox.toolbox import ConfinedToolbox, confined
from slowwave.errors import RefusedError, ScopeError, UsageError
from slowwave.memory.scope import Scope

NOBODY = 65534
LINUX = sys.platform.startswith("linux")
pytestmark = pytest.mark.skipif(not LINUX, reason="NOT TESTED: the levels of Linux need Linux")


@dataclass
class Host:
    """What a worker must not reach, and the worktree it may."""

    root: Path
    worktree: Path
    outside: Path
    tcp: socket.socket
    udp: socket.socket
    unix: socket.socket
    abstract: socket.socket

    def reached(self) -> list[str]:
        """The listeners that something came to."""
        found = []
        for name in ("tcp", "udp", "unix", "abstract"):
            listener: socket.socket = getattr(self, name)
            try:
                listener.recv(64) if name == "udp" else listener.accept()[0].close()
                found.append(name)
            except OSError:
                continue
        return found


@pytest.fixture
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """A host with a secret, a file, listeners, and a worktree that anybody may use."""
    root = Path(subprocess.check_output(["mktemp", "-d"], text=True).strip())
    worktree, outside = root / "worktree", root / "outside"
    (worktree / "system").mkdir(parents=True)
    outside.mkdir()
    (worktree / "system" / "a.md").write_text("hello\n")
    (outside / "secret").write_text("hunter2-of-the-host")
    (outside / "target").write_text("untouched")
    made = [
        socket.socket(socket.AF_INET, socket.SOCK_STREAM),
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
    ]
    tcp, udp, unix, abstract = made
    tcp.bind(("127.0.0.1", 0))
    udp.bind(("127.0.0.1", 0))
    unix.bind(str(outside / "s"))
    abstract.bind(f"\0slowwave-{os.getpid()}")
    for listener in made:
        if listener is not udp:
            listener.listen()
        listener.setblocking(False)
    for path in (root, *root.rglob("*")):  # so that walls are what stops an ordinary user
        path.chmod(0o777 if path.is_dir() else 0o666)
    (outside / "s").chmod(0o777)
    yield Host(root, worktree, outside, *made)
    for listener in made:
        listener.close()
    shutil.rmtree(root, ignore_errors=True)


def attacks(host: Host, interpreter: str) -> dict[str, str]:
    """Shell commands, each a way out."""
    out, tree = host.outside, host.worktree
    tcp, udp = host.tcp.getsockname()[1], host.udp.getsockname()[1]
    name = f"slowwave-{os.getpid()}"

    def python(code: str) -> str:
        return f"{Path(interpreter).resolve()} -I -c '{code}'"

    return {
        "read": f"cat {out}/secret ../outside/secret /proc/self/root{out}/secret",
        "environment": "env; cat /proc/PARENT/environ /proc/self/environ /proc/1/environ",
        "write": f"echo x >> {out}/target; echo x > {out}/new; cp system/a.md {out}/target",
        "link in": f"ln {out}/secret system/hard.md; ln -s {out}/secret system/soft.md; cat system/hard.md system/soft.md",
        "rename": f"mv {out}/target system/moved.md; mv system/a.md {out}/moved",
        "mode": f"chmod 0 {out}/target; chown 1:1 {out}/target; touch -d 2001-01-01 {out}/target; chmod u+s system/a.md",
        "attribute": python(f'import os; os.setxattr("{out}/target", "user.x", b"y")'),
        "tcp": python(f'import socket; socket.create_connection(("127.0.0.1", {tcp}), 2)'),
        "udp": python(f'import socket; socket.socket(2, 2).sendto(b"x", ("127.0.0.1", {udp}))'),
        "unix": python(f'import socket; s = socket.socket(1, 1); s.connect("{out}/s")'),
        "abstract": python(f'import socket; s = socket.socket(1, 1); s.connect("\\0{name}")'),
        "signal": "kill -9 PARENT; kill -9 -1",
        "trace": python("import ctypes; print(ctypes.CDLL(None).ptrace(16, PARENT, 0, 0))"),
        "namespace": f"unshare -rm sh -c 'mount -t tmpfs none {out} && echo in'; unshare -n true",
        "io_uring": python(
            "import ctypes; print(ctypes.CDLL(None).syscall(425, 4, ctypes.create_string_buffer(120)))"
        ),
        "run what was written": "printf '#!/bin/sh\\necho x > system/ran.md\\n' > system/x; chmod +x system/x; ./system/x; "
        "cp /bin/sh system/sh; ./system/sh -c 'echo x > system/ran.md'",
        "special files": "mkfifo system/f; mknod system/n c 1 3; "
        + python('import socket; s = socket.socket(1, 1); s.bind("system/s")'),
        "sparse": "truncate -s 1G system/big.md; head -c 50000000 /dev/zero > system/big2.md",
        "memory": python('x = bytearray(4 << 30); print("got it")'),
        "descriptors": python('f = [open("/dev/null") for _ in range(5000)]; print("got them")'),
        "survivor": "(setsid sleep 54321 &) ; nohup sleep 54321 >/dev/null 2>&1 &",
        "forks": python(
            "import os, time\n"
            "n = 0\n"
            "try:\n"
            "  while n < 3000:\n"
            "    if os.fork() == 0: time.sleep(54321)\n"
            "    n += 1\n"
            "except OSError: pass\n"
            'print("forks", n)'
        ),
        "still works": f"cd {tree}; sed -i s/hello/hello2/ system/a.md; cp -p system/a.md system/b.md; cat system/b.md",
    }


def attack(host: Host, level: Level, user: int) -> dict[str, str]:
    """Run all attacks at a level, as a user. Skips loudly what cannot be built here."""
    if user and os.getuid():
        pytest.skip("NOT TESTED: only root can become another user")
    if level is Level.L3 and not bubblewrap.found():
        pytest.skip("NOT TESTED: bubblewrap is not installed")
    if landlock.abi() < landlock.LEAST_ABI or not seccomp.known():
        pytest.skip("NOT TESTED: no Landlock in this kernel")
    python = sys.executable
    if user:  # the interpreter and the code where an ordinary user can read them
        python = _common_python()
        package = Path(slowwave.__file__).parent
        shutil.copytree(package, host.root / "lib" / "slowwave", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(Path(__file__).with_name("redteam.py"), host.root)
    plan = host.root / "plan.json"
    ways = attacks(host, python)
    plan.write_text(json.dumps({"worktree": str(host.worktree), "level": level, "attacks": ways}))
    ran = subprocess.run(
        [python, str(host.root / "redteam.py"), str(plan)],
        capture_output=True,
        text=True,
        user=user or None,
        group=user or None,
        extra_groups=[] if user else None,
        cwd=host.root,
        env={
            "PATH": os.environ["PATH"],
            "TMPDIR": str(host.root),
            "ANTHROPIC_API_KEY": "sk-of-the-parent",
            **({"PYTHONPATH": str(host.root / "lib")} if user else {}),
        },
        timeout=100,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr  # also: the parent lives
    said: dict[str, str] = json.loads(ran.stdout)
    return said


def _gone(mark: str) -> bool:
    """Whether no process has this in its command, within a few seconds: the kernel ends a namespace in its own time."""
    for _ in range(100):
        if (
            mark
            not in subprocess.run(["ps", "axo", "args"], capture_output=True, text=True, check=True).stdout
        ):
            return True
        time.sleep(0.1)
    return False


def _common_python() -> str:
    """An interpreter that every user can run."""
    for name in ("python3", "python3.13", "python3.12", "python3.11"):
        found = f"/usr/bin/{name}"
        if os.access(found, os.X_OK):
            ran = subprocess.run(
                [found, "-c", "import sys; print(sys.version_info >= (3, 11))"],
                capture_output=True,
                check=False,
            )
            if ran.stdout.strip() == b"True":
                return found
    pytest.skip("NOT TESTED: no interpreter that an ordinary user can run")


@pytest.mark.parametrize(("level", "user"), [(Level.L3, 0), (Level.L3, NOBODY), (Level.L2, NOBODY)])
def test_no_way_out(host: Host, level: Level, user: int) -> None:
    """Nothing outside was read, changed, reached or left running; what is allowed still works."""
    before = (host.outside / "target").stat()
    said = attack(host, level, user)
    if "refused" in said and user and level is Level.L3:
        pytest.skip(f"NOT TESTED: {said['refused']}")
    everything = json.dumps(said)
    assert said.get("level") == level, said
    # reading
    assert "hunter2-of-the-host" not in everything
    assert "sk-of-the-parent" not in everything
    # changing
    after = (host.outside / "target").stat()
    assert (host.outside / "target").read_text() == "untouched"
    assert (after.st_mode, after.st_uid, after.st_mtime) == (before.st_mode, before.st_uid, before.st_mtime)
    assert sorted(p.name for p in host.outside.iterdir()) == ["s", "secret", "target"]
    assert os.listxattr(host.outside / "target") == []
    # reaching
    assert host.reached() == []
    assert "in" not in said["namespace"].split()
    assert said["io_uring"].strip().startswith("-1"), said["io_uring"]
    assert said["trace"].strip().startswith("-1")
    # what lies in the worktree afterwards
    inside = list(host.worktree.rglob("*"))
    assert all(
        p.is_dir() or (p.is_file() and not p.is_symlink() and p.stat().st_nlink == 1) for p in inside
    ), inside
    assert all(p.stat().st_mode & 0o6000 == 0 for p in inside)
    assert not (host.worktree / "system/ran.md").exists()
    assert all(p.stat().st_size <= 8 << 20 for p in inside)
    # resources
    assert "got them" not in said["descriptors"]
    assert int(said["forks"].split()[-1] if "forks" in said["forks"] else 0) < 500, said["forks"]
    time.sleep(0.2)
    assert _gone("54321")
    # and what is allowed
    assert said["still works"] == "hello2\n"


# ---------------------------------------------------------------------- the file tools, at every level
PATHS = (
    "../outside/secret", "system/../../outside/secret", "/etc/passwd", "system/link.md", "system/folder/secret",
    "system/hard.md", "system/pipe.md", ".git/config", "system/.git/hooks/x", "system/a\nb.md", "system/\u202egnp.md",
    "system/a.md.", "system/\0.md", "projects/other/system/a.md", "system\\..\\a.md",
)  # fmt: skip


@pytest.mark.parametrize("level", [Level.L3, Level.L2, Level.L0])
def test_the_file_tools_stay_inside(host: Host, level: Level) -> None:
    """Links, pipes, odd names and other folders are refused, whatever stands around the tools."""
    if level is Level.L3 and not bubblewrap.found():
        pytest.skip("NOT TESTED: bubblewrap is not installed")
    (host.worktree / "system/link.md").symlink_to(host.outside / "secret")
    (host.worktree / "system/folder").symlink_to(host.outside)
    os.link(host.outside / "secret", host.worktree / "system/hard.md")
    os.mkfifo(host.worktree / "system/pipe.md")
    with confined(Scope(host.worktree, ("system/",)), levels=(level,)) as (tools, proof):
        assert proof.level is level
        for path in PATHS:
            for act in (
                tools.view,
                lambda p: tools.create(p, "x"),
                lambda p: tools.str_replace(p, "hunter2", "x"),
                tools.delete,
                lambda p: tools.rename("system/a.md", p),
            ):
                with pytest.raises((ScopeError, UsageError)) as refused:
                    act(path)
                assert "hunter2" not in str(refused.value)
        assert tools.view("system/a.md") == "hello\n"
    assert (host.outside / "secret").read_text() == "hunter2-of-the-host"
    assert sorted(p.name for p in host.outside.iterdir()) == ["s", "secret", "target"]


def test_the_highest_level_that_holds_is_taken(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without bubblewrap the next one is, and the proof says what is missing."""
    monkeypatch.setattr(bubblewrap, "found", lambda: "")
    with confined(Scope(host.worktree, ("system/",))) as (_, proof):
        assert (proof.level, len(proof.stopped)) == (Level.L2, 5)
        assert proof.missing == ("L3: bubblewrap (bwrap) is not installed",)


def test_walls_that_do_not_hold_are_no_walls(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """A level is proven by its bait, so one that lets something through is not taken."""
    monkeypatch.setattr("slowwave.dream.sandbox.canary.Bait.escaped", lambda *_: ("read outside",))
    with confined(Scope(host.worktree, ("system/",))) as (tools, proof):
        assert proof.level is Level.L0
        assert "not stopped: read outside" in proof.missing[-2]
        assert tools.view("system/a.md") == "hello\n"
    with (
        pytest.raises(RefusedError, match="a shell needs a sandbox"),
        confined(Scope(host.worktree), shell=True),
    ):
        pass


def test_without_a_shell_there_is_none(host: Host) -> None:
    """A shell that the person did not ask for cannot be called."""
    with confined(Scope(host.worktree, ("system/",))) as (tools, _):
        assert isinstance(tools, ConfinedToolbox)
        with pytest.raises(UsageError, match="no tool 'bash'"):
            tools.bash("true")


def test_a_worker_that_dies_or_floods_ends_the_call(host: Host) -> None:
    """The parent never waits for ever, and never takes more than a megabyte."""
    with confined(Scope(host.worktree, ("system/",))) as (tools, _):
        assert isinstance(tools, ConfinedToolbox)
        with pytest.raises(UsageError, match="at most"):
            tools.create("system/big.md", "x" * (2 << 20))
        assert tools.view("system/a.md") == "hello\n"
        tools._process.kill()
        tools._process.wait()
        time.sleep(0.3)  # its namespace ends a moment after it
        with pytest.raises(RefusedError, match="worker"):
            tools.view("system/a.md")


def test_both_processors_have_a_whole_filter() -> None:
    """The program jumps nowhere beyond its end, on either processor."""
    for machine in ("x86_64", "aarch64"):
        program = seccomp.program(machine)
        for n, (_, yes, no, _) in enumerate(program):
            assert n + 1 + max(yes, no) <= len(program)
        assert program[-1] == (0x06, 0, 0, 0x7FFF0000)
