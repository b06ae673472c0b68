"""How answers look to a person: plain words, tables where they help, colours only on a terminal.

Everything here takes values and prints; nothing decides. The one importer of rich, which is loaded only
when there is a terminal to please.
"""

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from slowwave.config import Homes, Settings
from slowwave.model import Hit, plain
from slowwave.report import DreamReport, Foreseen, Merged, NoChanges, NothingToReflect, Pending, Planned
from slowwave.verbs import Change, Checkup, GateStatus, LogLine, OnStep, Status, ignore_step

if TYPE_CHECKING:
    from slowwave.transcripts.listing import SessionCounts  # the parsers: `status` starts without them

_STYLES = {
    "merged": "32", "no_changes": "2", "nothing_to_reflect": "2", "pending": "33", "failed": "31",
    "interrupted": "33", "undone": "2", "removed": "2", "discarded": "2", "+": "32", "-": "31", "@": "36", "bold": "1",
    "problem": "31", "note": "33", "ok": "32", "dim": "2",
}  # fmt: skip
_STEP_WORDS = {
    "scan": "looking for new turns", "lease": "taking the lease", "recover": "checking what was left",
    "snapshot": "freezing what is new", "worktree": "preparing a worktree", "import": "reading the result back",
    "validate": "validating", "commit": "committing the reflection", "publish": "landing", "settle": "noting it",
    "clean": "tidying up", "reflect": "reflecting", "read": "reading transcripts",
}  # fmt: skip


def colours(stream: Any = None) -> bool:
    """Whether to use colours on a stream: a terminal, and the person did not ask for none (no-color.org)."""
    stream = stream or sys.stdout
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def paint(text: str, style: str) -> str:
    """Colour a text, on a terminal only."""
    code = _STYLES.get(style)
    return f"\x1b[{code}m{text}\x1b[0m" if code and colours() else text


def say(text: str = "") -> None:
    """Print one line."""
    sys.stdout.write(f"{text}\n")


def show_json(value: Any) -> None:
    """Print a value as JSON."""
    sys.stdout.write(json.dumps(plain(value), indent=2, ensure_ascii=False) + "\n")


@contextlib.contextmanager
def heard() -> Iterator[None]:
    """What the block prints is out when it ends. Once the reader (a pager, head) has seen enough, the rest is
    said to nobody; the outcome stands.
    """
    try:
        try:
            yield
        finally:
            _flush()
    except BrokenPipeError as gone:
        _say_no_more()
        ended = gone.__context__
        raise (SystemExit(0) if ended is None or isinstance(ended, BrokenPipeError) else ended) from None


def _flush() -> None:
    try:
        sys.stdout.flush()
    except OSError:
        _say_no_more()
        raise


def _say_no_more() -> None:
    """At its end Python says what is still unsaid, and would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextlib.contextmanager
def progress() -> Iterator[OnStep]:
    """A listener that shows the present step on standard error while the block runs; silent without a terminal."""
    if not sys.stderr.isatty():
        yield ignore_step
        return
    from rich.console import Console  # only with a terminal to show it on

    console = Console(stderr=True)
    with console.status("starting") as status:

        def on_step(step: str) -> None:
            word, _, rest = step.partition(" ")
            status.update(f"{_STEP_WORDS.get(word, word)} {rest}".rstrip())

        yield on_step


@contextlib.contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """A listener that shows how much is done on standard error; silent without a terminal."""
    with progress() as on_step:
        yield lambda done, total: on_step(f"{what} {done} of {total}")


# ---------------------------------------------------------------------- dreams
def show_dreams(reports: Sequence[DreamReport], memory: str) -> None:
    """What the dreams did, and what a person may do next."""
    for report in reports:
        _show_dream(report)
    if any(isinstance(r.outcome, Merged) for r in reports):
        say()
        say(f"memory is in {memory}")
        say("next: slowwave diff · slowwave recall WORDS · slowwave undo")


def _show_dream(report: DreamReport) -> None:
    o = report.outcome
    if report.explained:
        _show_explained(report)
        return
    head = f"{report.project}: " if report.project else ""
    read = f"{report.steps} steps of {len(report.sources)} session(s)"
    match o:
        case Merged(commit=commit):
            say(f"{head}{paint('merged', 'merged')} {commit[:12]}, learned {len(report.learned)} from {read}")
        case NoChanges():
            say(f"{head}{paint('no changes', 'no_changes')}: nothing worth keeping in {read}")
        case NothingToReflect(why=why):
            say(f"{head}{why}")
        case Pending(reason=reason):
            say(f"{head}{paint('pending', 'pending')}: {reason}")
            say(
                f"  slowwave diff {report.dream_id} · slowwave merge {report.dream_id} · slowwave discard {report.dream_id}"
            )
        case Planned(diff=diff, review=review):
            if review:
                say(f"{head}would wait for a person: {review}")
            say(f"{head}would learn {len(report.learned)} from {read}; nothing was written")
            show_diff(diff)
            return
        case Foreseen():
            _show_foreseen(head, o)
            return
        case _:
            say(f"{head}{paint('failed', 'failed')}: {o.error}")
    for learned in report.learned:
        text = " ".join(learned.text.split())
        say(f"  {paint('+', '+')} {text}")
        say(paint(f"    {learned.action} in {learned.path}", "dim"))
    for problem in report.problems:
        say(f"  {paint('left out', 'note')}: {problem}")
    if report.cost_usd or any(report.tokens.values()):
        say(f"  {sum(report.tokens.values()):,} tokens, ${report.cost_usd:.4f}")
    if report.note:
        say(f"  {report.note}")
    if report.damage:
        say(f"  {report.damage} damaged place(s) in transcripts were left out; `slowwave doctor` names them")


def _show_foreseen(head: str, seen: Foreseen) -> None:
    say(f"{head}would ask {seen.model} at {seen.endpoint}; nothing was sent, nothing was written")
    for number, batch in enumerate(seen.batches, 1):
        what = f"{batch.sessions} session(s), {batch.turns} turn(s)"
        asks = f"first question at most {batch.tokens:,} tokens, ${batch.usd:.4f}"
        say(f"  batch {number}: {what}, {asks if batch.worth else 'nothing in it worth a question'}")
    say(
        f"  each batch may ask on; the whole dream stays within ${seen.run_usd:g} and {seen.run_tokens:,} tokens"
    )


def _show_explained(report: DreamReport) -> None:
    """Each line with what speaks for it, then what was nearly learned; nothing was written."""
    for one in report.explained:
        say(f"  {paint('+', '+') if one.learned else '·'} {' '.join(one.text.split())}")
        behind = ", ".join(f"{name} {weight:+g}" for name, weight in one.signals)
        verdict = one.signal if one.learned else f"near miss, {one.signal}"
        say(paint(f"    {verdict}: {one.score:g}{f' = {behind}' if behind else ''}", "dim"))


def show_diff(text: str) -> None:
    """A unified diff."""
    for line in text.splitlines():
        heading = line.startswith(("+++", "---", "diff "))
        say(paint(line, "bold" if heading else line[:1]))


def show_change(change: Change) -> None:
    """What a verb on a finished dream did."""
    say(f"dream {change.dream_id}: {change.status}{f' ({change.reason})' if change.reason else ''}")
    if change.text:
        show_diff(change.text)


def show_log(lines: Sequence[LogLine]) -> None:
    """The dreams, newest first."""
    if not lines:
        say("no dream yet; `slowwave dream` starts one")
    for line in lines:
        status = paint(f"{line.status:<12}", line.status)
        say(
            f"{line.dream_id}  {status}  {line.project}  {line.trigger}  learned {line.learned}  {line.commit[:12]}"
        )
        if line.tokens:
            say(paint(f"    {line.tokens:,} tokens, ${line.cost_usd:.4f}", "dim"))
        if line.reason:
            say(paint(f"    {line.reason}", "dim"))


# ---------------------------------------------------------------------- recall
def show_hits(hits: Sequence[Hit], *, everywhere: bool, explain: bool = False) -> None:
    """Ranked hits; `explain` adds what each feature gave to the score, `everywhere` says that every project was asked."""
    if not hits:
        say("nothing found" if everywhere else "nothing found here (`--all` asks every project's memory)")
    for hit in hits:
        reasons = ", ".join(hit.why)
        say(f"{paint(hit.path or hit.id, 'bold')}  {paint(f'{hit.score:.2f}  {reasons}', 'dim')}")
        say("\n".join(f"  {line}" for line in hit.text.splitlines()))
        if hit.stale:
            say(paint("  may be stale: it names something that is not in the repository", "note"))
        if hit.hidden:
            say(paint(f"  {hit.hidden}", "note"))
        if explain:
            say(paint("  " + "  ".join(f"{n} {v:+.3f}" for n, v in hit.parts.items()), "dim"))
        if hit.source:
            say(paint(f"  from {hit.source}", "dim"))


# ---------------------------------------------------------------------- status and doctor
def show_status(status: Status) -> None:
    """What is going on, and why nothing happens when nothing happens."""
    say(f"daemon      {status.daemon}")
    say(f"dreaming    {status.dreaming or 'no'}")
    say(f"triggers    {', '.join(status.triggers)}")
    say(f"reflector   {status.reflector}")
    say(f"sandbox     {status.sandbox_level}")
    if status.model:
        say(f"model       {status.model}")
    if status.refused:
        say(f"            {paint(status.refused, 'problem')}")
    if status.model or any(b.tokens for b in status.budgets):
        for b in status.budgets:
            say(
                f"spent       last {b.span}: ${b.usd:.4f} of ${b.most_usd:g},"
                f" {b.tokens:,} of {b.most_tokens:,} tokens"
            )
    say(f"memory      {status.memory}")
    damaged = f", {status.damaged_files} with damage (slowwave doctor)" if status.damaged_files else ""
    say(f"transcripts {status.watched_files} files{damaged}")
    say(f"maintenance {status.maintenance}")
    if status.last_failure:
        say(f"last failure {status.last_failure}")
    for line in status.pending:
        say(f"{paint('pending', 'pending')}     {line.dream_id}: {line.reason}")
    if not status.gates:
        say(
            "no project yet: no agent has worked since slowwave first started (see `slowwave dream --backfill`)"
        )
    for gate in status.gates:
        _show_gate(gate)


def _show_gate(gate: GateStatus) -> None:
    say(f"{paint(gate.project, 'bold')}  {gate.root}")
    say(
        f"  steps {gate.steps} of {gate.needs_steps} · compactions {gate.compaction_marks}"
        f" · new turns {gate.new_turns} · open turns {gate.open_turns}"
    )
    say(f"  {gate.decision}: {gate.reason}")
    say(paint(f"  last dream {gate.last_dream} · last success {gate.last_success}", "dim"))


def show_sessions(sessions: "Sequence[SessionCounts]", left_out: int) -> None:
    """Every session in numbers, a line each, and their sums; `left_out` older ones are not among them."""
    if not sessions:
        say("no transcript found; `slowwave doctor` says where it looked")
        return
    head = ("agent", "session", "prompts", "steps", "texts", "done", "stopped", "failed", "compacted",
            "inherited", "damage", "project")  # fmt: skip
    lines = [head, *map(_session_cells, sessions)]
    widths = [max(len(line[n]) for line in lines) for n in range(len(head))]
    for line in lines:
        cells = [
            c.ljust(w) if n < 2 else c.rjust(w) for n, (c, w) in enumerate(zip(line, widths, strict=True))
        ]
        text = "  ".join([*cells[:-1], line[-1]])
        say(paint(text, "bold") if line is head else text)
    say()
    sums = {
        n: sum(getattr(s, n) for s in sessions) for n in ("prompts", "steps", "turns_completed", "damage")
    }
    say(f"{len(sessions)} session(s): {sums['prompts']} prompts, {sums['steps']} steps, {sums['turns_completed']}"
        f" turns, {sums['damage']} damaged place(s)")  # fmt: skip
    if left_out:
        say(f"{left_out} older one(s) are not shown; `--limit 0` shows all")


def _session_cells(s: "SessionCounts") -> tuple[str, ...]:
    mark = "" if s.kind == "main" else f" ({s.kind})"
    numbers = (s.prompts, s.steps, s.text_rows, s.turns_completed, s.turns_interrupted, s.turns_failed,
               s.compactions, s.inherited.steps, s.damage)  # fmt: skip
    agent = s.source if s.fidelity == "full" else f"{s.source} ({s.fidelity})"
    return (agent, s.session_id + mark, *(str(n) if n else "·" for n in numbers), _on_one_line(s.project))


def _on_one_line(text: str) -> str:
    """Text of others: what would move the cursor or colour the line is shown as a mark."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def show_checkup(checkup: Checkup) -> None:
    """What `doctor` found."""
    for finding in checkup.findings:
        say(f"{paint(f'{finding.level:<8}', finding.level)}{finding.subject}: {finding.text}")
    for agent in checkup.agents:
        if agent["found"]:
            version = f" of version {agent['version']}" if agent["version"] else ""
            left = f"; the oldest {agent['not_read']} were not read (`--all`)" if agent["not_read"] else ""
            say(
                f"{agent['name']:<14}{agent['sessions']} session file(s){version} in {agent['path']},"
                f" read as {agent['fidelity']}{left}"
            )
    missing = [agent for agent in checkup.agents if not agent["found"]]
    for agent in missing:
        if agent["path"]:
            say(paint(f"not found: {agent['name']} (in {agent['path']})", "dim"))
    if placeless := [agent["name"] for agent in missing if not agent["path"]]:
        say(paint(f"no usual place: {', '.join(placeless)} (name one in sources.paths, or `--from`)", "dim"))


def show_settings(settings: Settings, homes: Homes) -> None:
    """The settings in force, as the file would say them."""
    say(f"# settings: {homes.config_file}")
    for name, section in plain(settings).items():
        say(f"[{name}]")
        for key, value in section.items():
            say(f"{key} = {json.dumps(value, ensure_ascii=False)}")
        say()
    for name, folder in plain(homes).items():
        say(paint(f"# {name}: {folder}", "dim"))
