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
from slowwave.home import user_home
from slowwave.service import Service
from slowwave.store import progress, runs
from slowwave.transcripts.discover import SessionFile
from slowwave.transcripts.formats import FORMATS
from slowwave.transcripts.watch import changes

TICK_SECONDS = 1.0
EVENTLESS_SCAN_SECONDS = 5.0

_SCHEDULE_SECONDS = 20.0  # between two looks at the schedule of maintenance
_RETRY_SECONDS = 600.0  # after a pass that failed, or found a dream at work
_NEVER = 3600.0  # a scan asks sooner
_TRANSCRIPT = {".jsonl", ".json", ".db", ".md", ".zst"}

Say = Callable[[str], None]


@dataclass
class Child:
    """A dream that is running: its process, its run and when it must be over (POSIX seconds)."""

    process: subprocess.Popen[bytes]
    run: str
    deadline: float


@dataclass
class Daemon:
    """One daemon. `run()` returns when `stop` is set; `say` gets one line per thing worth telling.

    files      every transcript file there is
    told       problems of the last scan: each is told once
    strangers  files that changed and are no transcripts, until the next scan says otherwise
    decide_at  when the gates must be asked again (monotonic); nothing is asked while nothing can have changed
    upkeep     a scheduled maintenance pass that is running; `maintain_at` is when to ask the schedule again
    """

    service: Service
    stop: threading.Event
    say: Say
    files: dict[Path, SessionFile] = field(default_factory=dict)
    child: Child | None = None
    told: frozenset[str] = frozenset()
    strangers: set[Path] = field(default_factory=set)
    decide_at: float = 0.0
    upkeep: subprocess.Popen[bytes] | None = None
    maintain_at: float = 0.0

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
                if self.upkeep:
                    launch.stop(self.upkeep)

    def _work(self) -> None:
        # 1. what an earlier kill left behind (in a child: it needs git)
        self._recover()
        # 2. everything there is now
        self._scan()
        if self.stop.is_set():
            return
        roots = self._roots()
        self.say(_watching(len(self.files), [root for root in roots if root.exists()]))
        # 3. what changes
        wakeups, told = changes(roots, self.stop, TICK_SECONDS), False
        next_scan = time.monotonic() + self._scan_seconds(wakeups.mode)
        for changed in wakeups:
            if wakeups.mode != "events" and not told:
                told, next_scan = True, 0.0
                self.say(f"no file events ({wakeups.why}); looking at every file now and then instead")
            if changed:
                self._read(changed)
            if time.monotonic() >= next_scan:
                self._scan()
                next_scan = time.monotonic() + self._scan_seconds(wakeups.mode)
            self._reap()
            self._decide()
            self._maintain()

    def _scan_seconds(self, mode: str) -> float:
        """Without events the scan is all there is, so it comes more often."""
        usual = self.service.settings.daemon.scan_seconds
        return usual if mode == "events" else min(usual, EVENTLESS_SCAN_SECONDS)

    def _roots(self) -> list[Path]:
        env, home = self.service.env, user_home(self.service.env)
        names, extra = self.service.settings.sources.enabled or tuple(FORMATS), self.service.extra_roots()
        own = [root for name in names for root in FORMATS[name].roots(env, home)]
        return [*own, *(path for name in names for path in extra.get(name, ()))]

    # ------------------------------------------------------------------ reading
    def _scan(self) -> None:
        found, problems = self.service.files_by_agent()
        fresh = {f.path: f for f in found}
        # Files of a folder that cannot be listed now have not vanished.
        self.files = {**self.files, **fresh} if problems else fresh
        self.strangers.clear()
        problems += self.service.ingest.scan(found, complete=not problems).problems
        self._complain([p for p in problems if p not in self.told])
        self.told = frozenset(problems)
        self.service.ingest.close_abandoned()
        self.decide_at = 0.0

    def _read(self, changed: frozenset[Path]) -> None:
        """Read known files at once; an unknown path means that the list must be made anew, once."""
        known = [self.files[p] for p in changed if p in self.files]
        if known:
            done = self.service.ingest.scan(known, complete=False)
            self._complain(done.problems)
            # At most once a tick: a gate waits for quiet anyway.
            self.decide_at = min(self.decide_at, time.monotonic() + TICK_SECONDS)
        unknown = {
            p for p in changed - self.files.keys() - self.strangers if p.suffix in _TRANSCRIPT or p.is_dir()
        }
        if unknown:
            self._scan()
            self.strangers |= {p for p in unknown if p not in self.files and not p.is_dir()}

    def _complain(self, problems: Sequence[str]) -> None:
        for problem in dict.fromkeys(problems):
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
        """Ask the gates, when something happened since they were asked or time alone may have opened one."""
        if self.child or time.monotonic() < self.decide_at:
            return
        waits = [_NEVER]
        for number in progress.projects_with_news(self.service.db):
            match self.service.gate(number):
                case gate.Fire() as fire:
                    self._launch(number, fire)
                    return
                case gate.Hold(code="busy" | "turn_open"):
                    waits.append(TICK_SECONDS)
                case gate.Hold(retry_at=float(at)):
                    waits.append(max(0.0, at - self.service.clock()))
        self.decide_at = time.monotonic() + min(waits)

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
        child, self.child, self.decide_at = self.child, None, 0.0
        run = runs.known(self.service.db, child.run)
        if run is None:
            self.say(f"dream {child.run}: it ended before it had read anything")
            return
        if run.status in {"claimed", "running"} and not run.reflection:
            reason = f"its process ended with exit code {child.process.returncode}"
            runs.finish(self.service.db, run.id, "failed", self.service.now(), reason=reason, actor="daemon")
            run = runs.get(self.service.db, child.run)
        self.say(f"dream {run.id}: {run.status}{f' ({run.reason})' if run.reason else ''}")

    # ------------------------------------------------------------------ maintenance
    def _maintain(self) -> None:
        """Start the scheduled pass that is due, as a child; one that failed is tried again later."""
        now = time.monotonic()
        if self.upkeep and (code := self.upkeep.poll()) is not None:
            self.upkeep = None
            self.maintain_at = now + (_RETRY_SECONDS if code else 0)
            log = self.service.homes.state / "daemon.log"
            self.say(
                f"problem: maintenance ended with exit code {code}; see {log}" if code else "maintenance done"
            )
        if self.upkeep or self.child or now < self.maintain_at:
            return
        self.maintain_at = now + _SCHEDULE_SECONDS
        if (overdue := self.service.reflection_overdue()) is None:
            return
        words = ["reflect", "--scheduled", str(overdue.due), "--json"]
        self.upkeep = launch.launch(words, self.service.homes.state / "daemon.log", self._child_env())
        self.say(
            f"maintenance started{f'; {overdue.missed} before it were missed' if overdue.missed else ''}"
        )

    def _child_env(self) -> dict[str, str]:
        return {**os.environ, **self.service.env}


def _watching(count: int, places: Sequence[Path]) -> str:
    if not places:
        return (
            "watching for agents: none has a folder here yet; `slowwave doctor` says where each is looked for"
        )
    return f"watching {count} file(s) below {', '.join(map(str, places))}"
