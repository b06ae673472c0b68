"""The checkup: everything slowwave stands on, looked at one by one, each failure with what to do.

A check that fails does not stop the next one: a person with three broken things wants to read three lines.
Transcripts are read newest first, up to a budget that a person waits for, unless all were asked for.
"""

import platform
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from slowwave.dream import choice, metered, workbench
from slowwave.dream.sandbox import levels
from slowwave.errors import SlowwaveError, TranscriptError
from slowwave.home import user_home
from slowwave.identity import identify
from slowwave.memory import repo
from slowwave.service import Service
from slowwave.store import files
from slowwave.transcripts import discover, listing
from slowwave.transcripts.discover import SessionFile
from slowwave.transcripts.formats import FORMATS
from slowwave.transcripts.listing import SessionCounts
from slowwave.verbs import Checkup, Finding, OnStep, ignore_step

BUDGET = 64 << 20  # bytes of one agent's transcripts: about a second


def examine(
    env: Mapping[str, str],
    clock: Callable[[], float],
    on_step: OnStep = ignore_step,
    *,
    everything: bool = False,
) -> Checkup:
    """Look at all slowwave stands on; with `everything` read every transcript.

    Never raises for what it finds broken: that is a finding.
    """
    findings: list[Finding] = []
    agents: tuple[dict[str, Any], ...] = ()
    kept: Path | None = None
    try:
        service = Service(env, clock)
    except SlowwaveError as error:  # broken settings, no home: nothing else can be asked
        findings.extend(_told("settings", error))
    else:
        kept = service.homes.sandbox_proof
        try:
            for check in (_settings, _git, _store, _memory, _identity, _model, _daemon):
                findings.extend(_looked_at(check, service))
            seen: set[str] = set()
            agents = tuple(_agents(service, findings, seen, on_step, None if everything else BUDGET))
            findings.extend(_looked_at(lambda s: _damage(s, agents, seen), service, "damage"))
        finally:
            service.close()
    findings.append(Finding("ok", "python", f"{platform.python_version()} on {platform.system()}"))
    return Checkup(tuple(findings), agents, _sandbox(kept))


def _sandbox(kept: Path | None) -> dict[str, Any]:
    """How well a model's worker would be confined here, by trying to get out."""
    with tempfile.TemporaryDirectory(prefix="slowwave-sandbox-") as folder:
        proof = workbench.prove(Path(folder))
    if kept:
        levels.keep_proof(kept, proof)
    what = [f"stopped: {escape}" for escape in proof.stopped] or [proof.level.what]
    return {"level": str(proof.level), "proof": "; ".join(what), "missing": list(proof.missing)}


def _looked_at(
    check: Callable[[Service], Iterator[Finding]], service: Service, name: str = ""
) -> list[Finding]:
    try:
        return list(check(service))
    except (SlowwaveError, OSError) as error:
        name = name or check.__name__.strip("_")
        return _told(name, error if isinstance(error, SlowwaveError) else SlowwaveError(str(error)))


def _told(name: str, error: SlowwaveError) -> list[Finding]:
    *others, last = error.problems
    told = [*others, f"{last} ({error.hint})" if error.hint else last]
    return [Finding("problem", name, text) for text in told]


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


def _model(service: Service) -> Iterator[Finding]:
    """Who reflects, and whether everything about it was said; nothing is asked."""
    settings = service.settings
    if not (door := metered.door_in(settings)):
        yield Finding("ok", "reflector", f"{settings.dream.reflector}, which asks no model")
        return
    if settings.dream.reflector == "anthropic":
        _, key = choice.price_and_key(settings, service.env, service.homes)
        yield Finding("ok", "reflector", f"{door}, its key: {key.kept_in}")
    else:
        choice.price_and_agent(settings, service.env, service.homes)
        yield Finding("ok", "reflector", f"{door}, its home is {service.homes.agent}")
    if refused := metered.refusal(service.db, settings, service.clock())[0]:
        yield Finding("problem", "reflector", refused)


def _daemon(service: Service) -> Iterator[Finding]:
    if service.daemon_runs():
        yield Finding("ok", "daemon", "running")
    else:
        yield Finding("note", "daemon", "not running; `slowwave daemon run` starts it")


def _damage(service: Service, agents: Sequence[Mapping[str, Any]], seen: set[str]) -> Iterator[Finding]:
    """What is damaged: as it was read just now, and as it once was in files that were not read now."""
    for agent in agents:
        for file in agent["damaged"]:
            yield Finding("note", "transcript", f"{file['path']}: {_places(file)}")
    for path, count, first in files.damaged(service.db):
        if path not in seen:
            yield Finding("note", "transcript", f"{path}: {count} damaged place(s), first: {first}")


def _places(file: Mapping[str, Any]) -> str:
    if file["problem"]:
        return str(file["problem"])
    told = [f"offset {p['offset']}, {p['length']} bytes: {p['reason']}" for p in file["places"]]
    more = f"; and {file['count'] - len(told)} more" if file["count"] > len(told) else ""
    return f"{file['count']} damaged place(s): {'; '.join(told)}{more}"


# ---------------------------------------------------------------------- agents
def _agents(
    service: Service, findings: list[Finding], seen: set[str], on_step: OnStep, budget: int | None
) -> Iterator[dict[str, Any]]:
    """Each agent: its folders, how many session files, and what those that were read (`seen`) tell."""
    try:
        home, elsewhere = user_home(service.env), service.extra_roots()
    except SlowwaveError as error:
        findings.extend(_told("home", error))
        return
    for name, fmt in FORMATS.items():
        extra = elsewhere.get(name, ())
        roots = (*fmt.roots(service.env, home), *extra)
        try:
            found = tuple(discover.find(service.env, home, (name,), {name: extra}))
        except SlowwaveError as error:
            findings.extend(Finding("problem", name, p) for p in error.problems)
            continue
        near = _newest(found, budget)
        seen.update(str(f.path) for f in near)
        sessions = listing.list_sessions(near, service.own_root, lambda n, of: on_step(f"read {n}/{of}"))
        unknown = sorted({s.version for s in sessions if s.fidelity == "structural"})
        if unknown:
            findings.append(Finding("note", name, _unknown(unknown, fmt.VERSIONS)))
        yield {
            "name": name,
            "path": ", ".join(map(str, roots)),
            "found": any(r.exists() for r in roots),
            "sessions": len(found),
            "version": next((s.version for s in reversed(sessions) if s.version), ""),
            "unknown_versions": unknown,
            "fidelity": "structural" if unknown else fmt.FIDELITY,
            "not_read": len(found) - len(near),
            "damaged": [_damaged(s) for s in sessions if s.damage or s.problem],
        }


def _unknown(versions: Sequence[str], tested: Sequence[str]) -> str:
    return (
        f"version {', '.join(versions)} is outside those it was tested with ({' to '.join(tested)});"
        " its transcripts are read by their structure"
    )


def _newest(found: Sequence[SessionFile], budget: int | None) -> list[SessionFile]:
    """The newest files that fit into the budget together; one whose size cannot be had is among them."""
    if budget is None:
        return list(found)
    known: list[tuple[int, int, int]] = []
    for place, file in enumerate(found):
        try:
            extent = file.extent()
            known.append((extent.mtime_ns, place, extent.size))
        except FileNotFoundError:
            continue
        except (OSError, TranscriptError):
            known.append((0, place, 0))  # reading it tells what is wrong
    near: list[SessionFile] = []
    for _, place, size in sorted(known, reverse=True):
        if size <= budget:
            budget -= size
            near.append(found[place])
    return near


def _damaged(session: SessionCounts) -> dict[str, Any]:
    return {
        "path": str(session.path),
        "count": session.damage,
        "places": [{"offset": d.offset, "length": d.length, "reason": d.reason} for d in session.damaged],
        "problem": session.problem,
    }
