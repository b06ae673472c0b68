"""The daemon: watches the agents' files, reads what is new, asks the gate, and launches dreams.

It never dreams itself: a dream is a child process, so that git, models and their memory come and go with it.
Events wake it and scans decide: a file's first lines in a new folder are easily missed by every event API,
so all files are looked at once at the start and about every minute.
"""

import os
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from slowwave import lock
from slowwave.dream import gate, launch
from slowwave.service import Service
from slowwave.store import progress, runs
from slowwave.transcripts.discover import SessionFile
from slowwave.transcripts.formats import FORMATS
from slowwave.transcripts.watch import changes

TICK_SECONDS = 1.0

Say = Callable[[str], None]


@dataclass
class Child:
    """A dream that is running: its process, its run and when it must be over (POSIX seconds)."""

    process: subprocess.Popen[bytes]
    run: str
    deadline: float


@dataclass
class Daemon:
    """One daemon. `run()` returns when `stop` is set; `say` gets one line per thing worth telling."""

    service: Service
    stop: threading.Event
    say: Say
    files: dict[Path, SessionFile] = field(default_factory=dict)
    child: Child | None = None

    def run(self) -> None:
        """Watch until told to stop. Raises BusyError when a daemon is already running."""
        with lock.held(self.service.daemon_lock, "a slowwave daemon", patience=0.5):
            try:
                self._work()
            finally:
                if self.child:
                    self.say(f"asking dream {self.child.run} to stop")
                    launch.stop(self.child.process)
                    self._reap()

    def _work(self) -> None:
        # 1. what an earlier kill left behind (in a child: it needs git)
        self._recover()
        # 2. everything there is now
        self._scan()
        roots = self._roots()
        self.say(f"watching {len(self.files)} files below {', '.join(map(str, roots))}")
        # 3. what changes
        next_scan = time.monotonic() + self.service.settings.daemon.scan_seconds
        wakeups = changes(roots, self.stop, TICK_SECONDS)
        for changed in wakeups:
            if changed:
                self._read(changed)
            if time.monotonic() >= next_scan:
                self._scan()
                next_scan = time.monotonic() + self.service.settings.daemon.scan_seconds
            self._reap()
            self._decide()
        if wakeups.mode != "events":
            self.say(f"no file events ({wakeups.why}); looking every {TICK_SECONDS:g} s instead")

    def _roots(self) -> list[Path]:
        env, home = self.service.env, Path(self.service.env.get("HOME") or Path.home())
        settings = self.service.settings.sources
        names = settings.enabled or tuple(FORMATS)
        own = [root for name in names for root in FORMATS[name].roots(env, home)]
        return [*own, *(Path(p).expanduser() for n in names for p in settings.paths.get(n, ()))]

    # ------------------------------------------------------------------ reading
    def _scan(self) -> None:
        found, problems = self.service.files_by_agent()
        self._complain(problems)
        fresh = {f.path: f for f in found}
        # Files of a folder that cannot be listed now have not vanished.
        self.files = {**self.files, **fresh} if problems else fresh
        self._complain(self.service.ingest.scan(found, complete=not problems).problems)
        self.service.ingest.close_abandoned()

    def _read(self, changed: frozenset[Path]) -> None:
        """Read known files at once; an unknown path means that the list must be made anew."""
        known = [self.files[p] for p in changed if p in self.files]
        done = self.service.ingest.scan(known, complete=False)
        self._complain(done.problems)
        if len(known) < len(changed):
            fresh = [p for p in changed - self.files.keys() if p.suffix == ".jsonl" or p.is_dir()]
            if fresh:
                self._scan()

    def _complain(self, problems: Sequence[str]) -> None:
        for problem in problems:
            self.say(f"problem: {problem}")

    # ------------------------------------------------------------------ dreaming
    def _recover(self) -> None:
        """Let a child do what every start does first; wait, since the store may change under it."""
        if not (self.service.homes.memory / ".git").exists():
            return
        process = launch.launch(["recover"], self.service.homes.state / "daemon.log", self._child_env())
        while process.poll() is None and not self.stop.wait(0.05):
            pass
        if launch.stop(process) and not self.stop.is_set():
            self.say(f"problem: recovery failed; see {self.service.homes.state / 'daemon.log'}")

    def _decide(self) -> None:
        if self.child:
            return
        for number in progress.projects_with_news(self.service.db):
            decision = self.service.gate(number)
            if isinstance(decision, gate.Fire):
                self._launch(number, decision)
                return

    def _launch(self, number: int, decision: gate.Fire) -> None:
        settings = self.service.settings.dream
        run = self.service.claim(number, decision.trigger, settings.reflector, {})
        log = self.service.homes.runs / run.id / "dream.log"
        process = launch.launch(["dream", "--run", run.id, "--json"], log, self._child_env())
        self.child = Child(process, run.id, time.time() + settings.timeout_seconds + 60)
        self.say(f"dream {run.id} started ({decision.trigger})")

    def _reap(self) -> None:
        """Note a dream that has ended; end one that is over its time."""
        if not self.child:
            return
        if self.child.process.poll() is None:
            if time.time() > self.child.deadline:
                launch.stop(self.child.process)
            return
        child, self.child = self.child, None
        run = runs.get(self.service.db, child.run)
        if run.status in {"claimed", "running"} and not run.reflection:
            reason = f"its process ended with exit code {child.process.returncode}"
            runs.finish(self.service.db, run.id, "failed", self.service.now(), reason=reason, actor="daemon")
            run = runs.get(self.service.db, child.run)
        self.say(f"dream {run.id}: {run.status}{f' ({run.reason})' if run.reason else ''}")

    def _child_env(self) -> dict[str, str]:
        return {**os.environ, **self.service.env}
