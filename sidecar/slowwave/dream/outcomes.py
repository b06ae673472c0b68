"""What results showed: commands that work here, and what mended an error.

An agent's word counts for nothing until a result bears it out. A test, lint or build command that succeeded is how
this project does it; a command that failed and then succeeded changed is a fix. What a tool printed is cited as
proof, never as a wish: no sentence of a result becomes a line.

Signal family of `extract`. Engine 1.
"""

import json
import re
from collections.abc import Iterator

from slowwave.dream import cues, weights
from slowwave.dream.candidate import Candidate, Kind, Moment
from slowwave.dream.commands import Run, runs, spoken
from slowwave.dream.edits import decoded, read_edit
from slowwave.dream.speech import sentences
from slowwave.model import Author, Entry, EntryKind, Evidence, Snapshot

_CHECKS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "Run the tests with",
        re.compile(
            r"\b(\w*tests?|pytest|jest|vitest|ctest|rspec|phpunit|testDebugUnitTest|tox|nox)\b(?!-)",
            re.IGNORECASE,
        ),
    ),
    (
        "Check the code with",
        re.compile(
            r"\b(lint\w*|\w+lint|ruff|mypy|clippy|detekt|ktlint|eslint|tsc|shellcheck|golangci-lint|kubeconform|misra|rubocop|"
            r"phpstan|flake8|black|prettier|swiftlint|checkstyle|vet|typecheck|check)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "Build with",
        re.compile(r"\b(build|assemble\w*|compile)\b|\bcmake --preset\b", re.IGNORECASE),
    ),
)
_LOOKS_ONLY = re.compile(
    r"^(cd \S+ && )?(git|ls|java -version|\w+ --version|cat|head|tail|wc|grep|rg|find|sed -n|pwd|which|echo|curl|gh|docker (ps|logs)|ssh|scp|kubectl get)\b"
)
_NARROW = re.compile(
    r"(^|\s)(-run|-k|-t|--testNamePattern|--filter|--grep|-count=\d+|--limit|--only|--browser=\S+|--fix|--update|--lf|--watch)\b"
    r"|\.(py|ts|tsx|js|go|rs|kt|swift|rb|php|exs?|R|java|cs|scala|clj|sh)\b(:|\s|$)|::|\bsed -i\b"
)
_FOREIGN = re.compile(r"https?://(?!localhost|127\.)", re.IGNORECASE)
_DEFAULT = re.compile(
    r"^(cargo (test|build|check)|go (test|build|vet) \./\.\.\.|(npm|yarn|pnpm|bun) (test|build)|pytest|mvn (test|package)|(?:bin/)?(?:rails|rake) test|mix test|sbt (test|compile)|dotnet (build|test)|"
    r"make( build)?|\./gradlew (build|test)|dotnet (test|build)|swift (test|build))$"
)
_PUBLISHES = re.compile(r"\b(push|publish|deploy|upload|release|apply|commit|tag)\b")
_ERROR_LINE = re.compile(
    r"error|cannot|can't|could not|couldn't|fail|not found|nicht gefunden|refused|unable|denied|unsupported|missing|no such|exception",
    re.IGNORECASE,
)
_OF_THAT_DAY = re.compile(r"\bpid\b|\bjob \d|\b0x[0-9a-f]{4,}|\b[0-9a-f]{7,}-|\bPID\b")
_ORDINARY = re.compile(
    r"assert|expected|(?-i:\bFAIL(ED)?\b)|\d+ (tests? )?failed|mismatch|lint|format|style|unused",
    re.IGNORECASE,
)
"""Failures that the work itself brings: what mends them is that day's change."""
_VOLATILE = re.compile(
    r"^[\w/.-]*:\d+|^\s*at |^Exit code|^\s*$|^(Process exited|Wall time|Chunk ID|Output:|Original token)"
)


def outcomes(snapshot: Snapshot) -> Iterator[Candidate]:
    """What the results of one session bear out."""
    done: list[Run] = []
    for turn in snapshot.turns:
        moment = Moment(snapshot, turn)
        for run in runs(moment):
            fix = _fix(run, done) or _mended_between(run, done)
            if fix is not None:
                yield fix
            elif (proven := _proven(run)) is not None:
                yield proven
            done.append(run)


def _shown(kind: Kind, text: str, evidence: tuple[Evidence, ...], run: Run) -> Candidate:
    """A line that results bear out, with the signal that says so."""
    name = weights.MENDED if kind is Kind.FIX else weights.CONFIRMED
    return Candidate(kind, text, evidence, run.moment.at, signal=name, score=weights.SHOWN[name])


# ------------------------------------------------------------------ commands that work here
def _proven(run: Run) -> Candidate | None:
    command = run.command
    if not command or not run.worked or len(command) > 160 or "\n" in command or not safe(command):
        return None
    if _LOOKS_ONLY.search(command) or _NARROW.search(command) or _PUBLISHES.search(command):
        return None
    if _DEFAULT.search(command):  # any agent would try it first: nothing to remember
        return None
    label = next((text for text, pattern in _CHECKS if pattern.search(command)), "")
    if not label:
        return None
    evidence = (run.moment.cite(run.call, spoken(run.call, command)), *_proof(run))
    return _shown(Kind.COMMAND, f"{label} `{command}`.", evidence, run)


def safe(command: str) -> bool:
    """False for commands that fetch and run, carry a secret, or speak to agents."""
    return not (
        cues.AIMED_AT_AGENTS.search(command)
        or cues.SECRET.search(command)
        or "***" in command
        or "://" in command
    )


def _proof(run: Run) -> tuple[Evidence, ...]:
    """The first telling line of the result, when it is fit to be shown."""
    for line in run.result.text.split("\n"):
        text = line.strip()
        if text and not _VOLATILE.search(text) and len(text) <= 120:
            if not _fit_to_show(text):
                return ()
            told = re.split(r"\d", text, maxsplit=1)[0].rstrip(" :(@,-")  # counts are of that day only
            return (run.moment.cite(run.result, told),) if len(told) >= 4 else ()
    return ()


# ------------------------------------------------------------------ what mended an error
def _fix(run: Run, done: list[Run]) -> Candidate | None:
    """The last failure of the same thing, when this run of it succeeded with a changed command."""
    if not run.command or not run.worked or _LOOKS_ONLY.search(run.command) or not _fit(run.command):
        return None
    for earlier in reversed(done[-6:]):
        if _LOOKS_ONLY.search(earlier.command):
            continue
        if earlier.worked and _same_thing(earlier.command, run.command):
            return None
        if not (earlier.failed and earlier.command and earlier.command != run.command):
            continue
        if _same_thing(earlier.command, run.command):
            return _mended(earlier, run, done)
    return None


def _mended_between(run: Run, done: list[Run]) -> Candidate | None:
    """The one step between a failure of a command and its success, unchanged: an edit, or another command."""
    if not run.command or not run.worked or not _fit(run.command):
        return None
    at = next((n for n in range(len(done) - 1, -1, -1) if done[n].command == run.command), None)
    if at is None or not done[at].failed or len(done) - at > 6:
        return None
    error = error_line(done[at].result)
    steps = [s for r in done[at + 1 :] if not _undone(r) and (s := _step(r))]
    if not error or len(steps) != 1 or _ORDINARY.search(error):
        return None
    what, cited = steps[0]
    text = f'If `{run.command}` fails with "{error[:140]}": {what}.'
    evidence = [done[at].moment.cite(done[at].result, error), cited]
    if (said := _explained(run)) is not None:
        text = f"{text[:-1]} ({said.quote.rstrip('.。')})."
        evidence.append(said)
    return _shown(Kind.FIX, text, tuple(evidence), run)


def _undone(run: Run) -> bool:
    """True when the step did not take; sources do not say of every edit that it worked."""
    return run.refused or run.result.ok is False or (bool(run.command) and run.failed)


def _step(run: Run) -> tuple[str, Evidence] | None:
    """What one step changed, in words, with the span that shows it; looking changes nothing."""
    if run.command:
        if _LOOKS_ONLY.search(run.command) or not _fit(run.command):
            return None
        return f"run `{run.command}` first", run.moment.cite(run.call, spoken(run.call, run.command))
    edit = read_edit(decoded(run.call.text))
    fresh = [x.strip() for x in edit.fresh if x.strip()] if edit else []
    if not edit or not fresh or len(fresh) > 2 or any(len(x) > 200 or not safe(x) or "`" in x for x in fresh):
        return None
    shown = json.dumps(fresh[0], ensure_ascii=False)[1:-1]
    cited = run.moment.cite(run.call, shown if shown in run.call.text else run.call.text)
    return f"put `{'; '.join(fresh)}` in {edit.file}", cited


def _fit(command: str) -> bool:
    return (
        len(command) <= 200
        and "\n" not in command
        and not _FOREIGN.search(command)
        and not cues.AIMED_AT_AGENTS.search(command)
        and not cues.SECRET.search(command)
        and "***" not in command
    )


def _same_thing(failed: str, worked: str) -> bool:
    """True when the second command is the first with something added, or the same act by another tool."""
    old, new = _words(failed), _words(worked)
    if not old or not new:
        return False
    shared = len(old & new)
    return shared / min(len(old), len(new)) >= 0.5 or (shared > 0 and bool({"test", "tests"} & old & new))


def _words(command: str) -> set[str]:
    return {w for w in re.findall(r"[\w.-]+", command.lower()) if len(w) > 1 and not w.isdigit()}


def _mended(failed: Run, run: Run, done: list[Run]) -> Candidate | None:
    error = error_line(failed.result)
    if not _fit(failed.command) or _occasion(run.command, failed.result.text):
        return None
    first = next((r for r in done if r.failed and r.command and _same_thing(r.command, run.command)), failed)
    shown = f'fails with "{error[:140]}"' if error else "does not work"
    text = f"If `{first.command}` {shown}: run `{run.command}`."
    evidence = [failed.moment.cite(failed.result, error)] if error else []
    evidence.append(run.moment.cite(run.call, spoken(run.call, run.command)))
    if (said := _explained(run)) is not None:
        text = f"{text[:-1]} ({said.quote.rstrip('.。')})."
        evidence.append(said)
    return _shown(Kind.FIX, text, tuple(evidence), run)


def _occasion(command: str, output: str) -> bool:
    """True when the command names an id that the error gave out: it mends that occasion only."""
    ids = re.findall(r"\b(?=[\w-]*\d)(?=[\w-]*[a-f])[0-9a-f][0-9a-f-]{6,}\b", command)
    return any(each in output for each in ids)


_ORDERS = re.compile(r"\b(you (should|must|need)|always|never|please|make sure|remember)\b", re.IGNORECASE)


def _fit_to_show(line: str) -> bool:
    """A line of output that carries no secret and tells nobody what to do."""
    return not (cues.SECRET.search(line) or cues.AIMED_AT_AGENTS.search(line) or _ORDERS.search(line))


def error_line(result: Entry) -> str:
    """The line of a failed result that says what went wrong."""
    lines = [line.strip() for line in result.text.split("\n") if not _VOLATILE.search(line)]
    fit = [
        x for x in lines if len(x) > 5 and not cues.SECRET.search(x) and not cues.AIMED_AT_AGENTS.search(x)
    ]
    readable = [x for x in fit if "\ufffd" not in x]
    found = next((x for x in readable if _ERROR_LINE.search(x)), readable[0] if readable else "")[:200]
    return _OF_THAT_DAY.split(found, maxsplit=1)[0].rstrip(" (:,")


def _explained(run: Run) -> Evidence | None:
    """The agent's word right after the success: one sentence that the result has just borne out."""
    entries = run.moment.turn.entries
    for entry in entries[entries.index(run.result) + 1 :]:
        if entry.kind is EntryKind.TEXT and entry.author is Author.AGENT:
            first = next(iter(sentences(entry.text)), None)
            fit = first and 3 <= first.words <= 30 and not cues.SECRET.search(first.text)
            return run.moment.cite(entry, first.text) if first and fit else None
        if entry.kind is EntryKind.TOOL_CALL:
            return None
    return None
