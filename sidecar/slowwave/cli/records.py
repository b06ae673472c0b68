"""The commands over records: remember, forget, pin, restore, explain, reflect, export, import."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from slowwave import terminal
from slowwave.cli.frame import dry_run_flag, ends_well, json_flag, service
from slowwave.errors import SlowwaveError, UsageError
from slowwave.model import MemoryType
from slowwave.verbs import ReflectRequest, RememberRequest

EVERYWHERE = "everywhere"
_SHARE = click.FloatRange(0, 1)


def _at(option: str, text: str) -> int | None:
    """A date or time of the command line in microseconds; without a zone it is this machine's."""
    if not text:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"{option} {text!r} is no date or time", hint="write it as 2026-01-31 or 2026-01-31T14:00"
        ) from None
    return round(at.astimezone().timestamp() * 1_000_000)


def _pairs(words: tuple[str, ...]) -> dict[str, str]:
    wrong = [word for word in words if "=" not in word]
    if wrong:
        raise UsageError(f"--metadata {wrong[0]!r} is not KEY=VALUE")
    return dict(word.split("=", 1) for word in words)


def _answer(done: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        terminal.show_json(done)
        return
    would = "would " if done["dry_run"] else ""
    file = done.get("record", {}).get("file", "")
    terminal.say(f"{would}{done['action']} {done['id']}{f' ({file})' if file else ''}")


@click.command()
@click.argument("text")
@click.option(
    "--type", "kind", default="semantic", show_default=True, type=click.Choice([str(t) for t in MemoryType])
)
@click.option("--path", default="", help="Its topic; for a durable record a file when it ends in .md.")
@click.option("--owner", default="", help="Whose it is (default: yours).")
@click.option("--bucket", default="", help="A label that keeps it apart from others.")
@click.option(
    "--scope", default=None, help=f"A project's folder name, or {EVERYWHERE!r} (default: this project)."
)
@click.option("--team", default="", help="The team it belongs to.")
@click.option("--session", default="", help="The session it comes from.")
@click.option("--importance", default=None, type=_SHARE, help="From 0 to 1.")
@click.option("--confidence", default=None, type=_SHARE, help="From 0 to 1.")
@click.option("--semantic-key", default="", help="A durable record with this key is updated, never doubled.")
@click.option("--promotion-key", default="", help="Episodes with this key are counted as the same.")
@click.option("--expires", default="", metavar="WHEN", help="Until when it holds.")
@click.option("--metadata", multiple=True, metavar="K=V", help="Anything else, as often as needed.")
@dry_run_flag
@json_flag
@ends_well
def remember(
    kind: str, scope: str | None, expires: str, metadata: tuple[str, ...], as_json: bool, **words: Any
) -> None:
    """Remember something: an episode, or a fact in a memory file of its own."""
    with service() as verbs:
        where = verbs.scope_here() if scope is None else "" if scope == EVERYWHERE else scope
        request = RememberRequest(
            type=MemoryType(kind),
            scope=where,
            expires_at=_at("--expires", expires),
            metadata=_pairs(metadata),
            **words,
        )
        done = verbs.remember(request)
    _answer(done, as_json=as_json)


@click.command()
@click.argument("record")
@click.option("--hard", "how", flag_value="hard", help="Delete it for good, and prove that nothing is left.")
@click.option("--redact", "how", flag_value="redact", help="Take its words out everywhere; it stays itself.")
@click.option(
    "--soft", "how", flag_value="soft", default="soft", help="Archive it (default); `restore` undoes it."
)
@dry_run_flag
@json_flag
@ends_well
def forget(record: str, how: str, dry_run: bool, as_json: bool) -> None:
    """Forget a record, named by its id, the beginning of it, or its memory file."""
    with service() as verbs:
        done = verbs.forget(record, how=how, dry_run=dry_run)
    _answer(done, as_json=as_json)
    if how == "hard" and not as_json:
        for commit in done["history"]:
            terminal.say(f"git still holds it in commit {commit}")
        for where in done["same_words"]:
            terminal.say(f"the same words stand in {where}")
    if how == "hard" and not done["proved"]:
        raise SlowwaveError(f"something of {done['id']} is left: {done['left']}")


@click.command()
@click.argument("record")
@click.option("--off", is_flag=True, help="Let it go again.")
@dry_run_flag
@json_flag
@ends_well
def pin(record: str, off: bool, dry_run: bool, as_json: bool) -> None:
    """Pin a record, so that it neither fades nor leaves."""
    with service() as verbs:
        _answer(verbs.pin(record, pinned=not off, dry_run=dry_run), as_json=as_json)


@click.command()
@click.argument("record")
@dry_run_flag
@json_flag
@ends_well
def restore(record: str, dry_run: bool, as_json: bool) -> None:
    """Bring an archived record back."""
    with service() as verbs:
        _answer(verbs.restore(record, dry_run=dry_run), as_json=as_json)


@click.command()
@click.argument("record")
@json_flag
@ends_well
def explain(record: str, as_json: bool) -> None:
    """Say why a record is there, what happened to it, and what will."""
    with service() as verbs:
        found = verbs.explain(record)
    if as_json:
        terminal.show_json(found)
        return
    own = found["record"]
    terminal.say(f"{own['id']}: {own['type']}, {own['status']}, importance {own['importance']:g}")
    terminal.say(own["content"])
    for source in found["provenance"]["sources"]:
        terminal.say(f"made of {source['id']} ({source['state']})")
    for event in found["events"]:
        terminal.say(f"{event['at']} {event['actor']}: {event['action']} {event['reason']}".rstrip())
    terminal.say(f"promotion: {found['promotion']['why']}")
    for name, value in found["ageing"].items():
        terminal.say(f"{name}: {value['at'] if isinstance(value, dict) else value}")


@click.command()
@click.option(
    "--actions", default="summarize,promote,expire,decay,archive", show_default=True, metavar="LIST"
)
@click.option("--since", default="", metavar="WHEN", help="Summarize episodes from here on.")
@click.option("--until", default="", metavar="WHEN", help="Summarize episodes up to here.")
@click.option("--window-hours", "time_window_hours", default=None, type=click.FloatRange(0, min_open=True),
              help="Summarize the last hours (default: lifecycle.window_hours).")  # fmt: skip
@click.option("--limit", default=None, type=click.IntRange(1), help="Summarize so many episodes at most.")
@click.option("--scope", default=None, help="Only records of this scope.")
@click.option("--bucket", default=None, help="Only records of this bucket.")
@click.option("--team", default=None, help="Only records of this team.")
@click.option("--path", "path_filter", default=None, metavar="GLOB", help="Only records whose path matches.")
@click.option("--owner", "owner_filter", default=None, help="Only records of this owner.")
@click.option("--min-group-size", default=None, type=click.IntRange(1), help="Summarize no smaller group.")
@click.option("--scheduled", default=None, type=int, hidden=True)
@dry_run_flag
@json_flag
@ends_well
def reflect(actions: str, since: str, until: str, as_json: bool, **words: Any) -> None:
    """Let memories age: summarize, promote, expire, decay, archive."""
    wanted = tuple(a.strip() for a in actions.split(",") if a.strip())
    request = ReflectRequest(wanted, since=_at("--since", since), until=_at("--until", until), **words)
    with service() as verbs:
        report = verbs.reflect(request)
    if as_json:
        terminal.show_json(report.as_json())
        return
    would = "would " if report.dry_run else ""
    for name, count in report.plan.counts().items():
        terminal.say(f"{would}{name} {count}")
    for pass_id, word in report.recovered.items():
        terminal.say(f"an earlier pass, {pass_id}: {word}")
    for path in report.left_alone:
        terminal.say(f"left alone, since you are at work on it: {path}")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@json_flag
@ends_well
def export(folder: Path, as_json: bool) -> None:
    """Write all records, their audit and memory into a new folder."""
    with service() as verbs:
        done = verbs.export(folder)
    _carried(done, "wrote", as_json=as_json)


@click.command("import")
@click.argument("folder", type=click.Path(path_type=Path))
@dry_run_flag
@json_flag
@ends_well
def import_(folder: Path, dry_run: bool, as_json: bool) -> None:
    """Take in what `export` wrote; what is here already stays."""
    with service() as verbs:
        done = verbs.import_(folder, dry_run=dry_run)
    _carried(done, "would take in" if dry_run else "took in", as_json=as_json)


def _carried(done: Mapping[str, Any], word: str, *, as_json: bool) -> None:
    if as_json:
        terminal.show_json(done)
        return
    terminal.say(
        f"{word} {done['records']} records, {done['audit']} audit records, {done['files']} memory files"
    )
    for path in done["kept"]:
        terminal.say(f"kept as it is here: {path}")


COMMANDS: tuple[click.Command, ...] = (remember, forget, pin, restore, explain, reflect, export, import_)
