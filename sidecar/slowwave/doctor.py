"""The checkup: everything slowwave stands on, looked at one by one, each failure with what to do.

A check that fails does not stop the next one: a person with three broken things wants to read three lines.
"""

import platform
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from slowwave.dream.pipeline import SANDBOX_LEVEL
from slowwave.errors import SlowwaveError
from slowwave.identity import identify
from slowwave.memory import repo
from slowwave.service import Service
from slowwave.store import files
from slowwave.transcripts import discover
from slowwave.transcripts.formats import FORMATS
from slowwave.verbs import Checkup, Finding


def examine(env: Mapping[str, str], clock: Callable[[], float]) -> Checkup:
    """Look at everything. Never raises for what it finds broken: that is a finding."""
    findings: list[Finding] = []
    agents: tuple[dict[str, Any], ...] = ()
    try:
        service = Service(env, clock)
    except SlowwaveError as error:  # broken settings: nothing else can be asked
        findings.extend(Finding("problem", "settings", p) for p in error.problems)
    else:
        try:
            for check in (_settings, _git, _store, _memory, _identity, _daemon, _damage):
                findings.extend(_looked_at(check, service))
            agents = tuple(_agents(service, findings))
        finally:
            service.close()
    findings.append(Finding("ok", "python", f"{platform.python_version()} on {platform.system()}"))
    sandbox = {
        "level": SANDBOX_LEVEL,
        "proof": "file tools work behind the descriptor guard; no command can be run",
        "missing": ["a confined process: commands stay refused"],
    }
    return Checkup(tuple(findings), agents, sandbox)


def _looked_at(check: Callable[[Service], Iterator[Finding]], service: Service) -> list[Finding]:
    try:
        return list(check(service))
    except (SlowwaveError, OSError) as error:
        name = check.__name__.strip("_")
        problems = error.problems if isinstance(error, SlowwaveError) else (str(error),)
        hint = f" ({error.hint})" if isinstance(error, SlowwaveError) and error.hint else ""
        return [Finding("problem", name, f"{p}{hint}") for p in problems]


def _settings(service: Service) -> Iterator[Finding]:
    file = service.homes.config_file
    yield Finding("ok", "settings", str(file) if file.exists() else f"defaults (no file at {file})")


def _git(service: Service) -> Iterator[Finding]:
    del service
    yield Finding("ok", "git", repo.git_version())


def _store(service: Service) -> Iterator[Finding]:
    count = service.db.value("SELECT count(*) FROM turns")
    yield Finding("ok", "store", f"{service.homes.database}, {count} turns")


def _memory(service: Service) -> Iterator[Finding]:
    if not service.homes.memory.exists():
        yield Finding(
            "note", "memory", f"{service.homes.memory} does not exist yet; the first dream makes it"
        )
        return
    found = service.repository()
    yield Finding("ok", "memory", f"{found.path} on branch {found.branch}")


def _identity(service: Service) -> Iterator[Finding]:
    found = identify(service.homes.data / "instance-id", service.env)
    yield Finding("ok", "instance id", f"{found.instance_id}, kept in {found.kept_in}")


def _daemon(service: Service) -> Iterator[Finding]:
    if service.daemon_runs():
        yield Finding("ok", "daemon", "running")
    else:
        yield Finding("note", "daemon", "not running; `slowwave daemon run` starts it")


def _damage(service: Service) -> Iterator[Finding]:
    for path, count, first in files.damaged(service.db):
        yield Finding("note", "transcript", f"{path}: {count} damaged place(s), first: {first}")


def _agents(service: Service, findings: list[Finding]) -> Iterator[dict[str, Any]]:
    """Each agent with its folders and its number of session files; an unreadable one is a finding."""
    home = Path(service.env.get("HOME") or Path.home())
    for name, fmt in FORMATS.items():
        extra = tuple(Path(p).expanduser() for p in service.settings.sources.paths.get(name, ()))
        roots = (*fmt.roots(service.env, home), *extra)
        try:
            count = sum(1 for _ in discover.find(service.env, home, (name,), {name: extra}))
        except SlowwaveError as error:
            findings.extend(Finding("problem", name, p) for p in error.problems)
            continue
        where = ", ".join(map(str, roots))
        yield {"name": name, "path": where, "found": any(r.is_dir() for r in roots), "sessions": count}
