"""The command line, from outside: what it prints, writes, leaves alone, and which code it ends with."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from slowwave.cli import cli
from slowwave.config import SOURCE_NAMES
from slowwave.store import runs
from slowwave.transcripts.formats import FORMATS
from slowwave.verbs import Verbs

from .installation import INSTANCE, OTHER_WISH, WISH, Installation, tree, until

COMMANDS = [
    *([name] for name, command in cli.commands.items() if not hasattr(command, "commands")),
    ["daemon"],
    *(["daemon", name] for name in ("run", "status", "stop")),
]
READING = [
    ["log"], ["status"], ["config"], ["id"], ["recall", "make", "check"], ["context"], ["diff"],
    ["dream", "--dry-run"], ["transcripts"],
]  # fmt: skip
DREAM_KEYS = {
    "dream_id", "outcome", "trigger", "reflector", "sandbox_level", "sources", "batches", "steps", "learned",
    "commit", "pending_reason", "tokens", "cost_usd", "seconds",
}  # fmt: skip


@pytest.fixture
def machine(tmp_path: Path) -> Installation:
    """A machine on which slowwave has started once, before any agent worked."""
    return Installation(tmp_path).begin()


@pytest.fixture
def dreamed(machine: Installation) -> Installation:
    """A machine on which one dream has landed."""
    machine.session("one").turn(WISH, steps=3)
    machine.run("dream")
    return machine


@pytest.fixture
def pending(machine: Installation) -> Installation:
    """A machine on which one dream waits for the person."""
    machine.session("one").turn(WISH, steps=3)
    machine.run("dream", "--review", code=3)
    return machine


# ---------------------------------------------------------------------- words
@pytest.mark.parametrize("words", [[], *COMMANDS], ids=lambda w: " ".join(w) or "slowwave")
def test_every_command_explains_itself(tmp_path: Path, words: list[str]) -> None:
    """`--help` and `-h` tell the usage and touch nothing."""
    machine = Installation(tmp_path)
    told = machine.run(*words, "--help").stdout
    assert told.startswith("Usage: slowwave")
    assert machine.run(*words, "-h").stdout == told
    assert not machine.own.exists()


def test_every_verb_has_a_command() -> None:
    """What any front may ask for can be asked for here, and answers in JSON."""
    verbs = {name for name in vars(Verbs) if not name.startswith("_")}
    assert verbs <= cli.commands.keys()
    for name in verbs:
        assert "--json" in {option for p in cli.commands[name].params for option in p.opts}


def test_every_verb_that_writes_can_be_rehearsed() -> None:
    """dream, merge, discard and undo take --dry-run."""
    for name in ("dream", "merge", "discard", "undo"):
        assert "--dry-run" in {option for p in cli.commands[name].params for option in p.opts}


def test_settings_know_the_formats_there_are() -> None:
    """The names settings may enable are those of the formats."""
    assert tuple(FORMATS) == SOURCE_NAMES


@pytest.mark.parametrize(
    "words",
    [
        ["frob"], ["dream", "--frob"], ["daemon", "frob"], ["recall"], ["log", "--limit", "0"],
        ["merge", "--prefer", "nobody"], ["dream", "--since", "soon"], ["dream", "--reflector", "nobody"],
        ["dream", "--from", "nobody"], ["dream", "--from", "path"], ["dream", "--from", "path:/no/where"],
        ["diff", "no-such-dream"], ["undo"], ["merge"], ["discard"], ["daemon", "stop"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_cannot_be_meant_is_a_usage_error(machine: Installation, words: list[str]) -> None:
    """Exit code 2, a sentence on standard error, and nothing on standard output."""
    done = machine.run(*words, code=2)
    assert done.stderr.strip()
    assert not done.stdout


def test_an_error_in_json_says_what_the_words_say(machine: Installation) -> None:
    """With --json an error is an object with every problem, a hint and the exit code."""
    error = machine.json("dream", "--from", "nobody", code=2)["error"]
    assert error["exit_code"] == 2
    assert "nobody" in error["problems"][0]
    assert "claude-code" in error["hint"]


def test_a_folder_that_is_gone_is_told(machine: Installation) -> None:
    """Started in a folder that was removed meanwhile, it says so."""
    gone = machine.root / "gone"
    gone.mkdir()
    done = subprocess.run(
        ["sh", "-c", 'rmdir "$0" && exec "$@"', str(gone), *machine.command("status")],
        cwd=gone, env=machine.env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, "no longer exists" in done.stderr) == (2, True)
    assert "Traceback" not in done.stderr


# ---------------------------------------------------------------------- dream
def test_the_second_dream_has_nothing_to_reflect(dreamed: Installation) -> None:
    """Twice equals once: exit 0, a named no-op, and no new commit."""
    head = dreamed.git("rev-parse", "main")
    assert "nothing to reflect" in dreamed.run("dream").stdout
    assert dreamed.json("dream")["outcome"] == "nothing_to_reflect"
    assert dreamed.git("rev-parse", "main") == head
    assert dreamed.remembered(WISH) == 1


def test_only_new_turns_are_read(machine: Installation) -> None:
    """After one turn more, the second dream's sources are that turn."""
    session = machine.session("one").turn(WISH, steps=3)
    [first] = machine.json("dream")["sources"]
    session.turn(OTHER_WISH, steps=2)
    told = machine.json("dream")
    [second] = told["sources"]
    assert (first["from"], first["to"], second["from"], second["to"]) == (0, 1, 1, 2)
    assert told["steps"] == 2
    assert (machine.remembered(WISH), machine.remembered(OTHER_WISH)) == (1, 1)


def test_the_json_of_a_dream_is_as_documented(machine: Installation) -> None:
    """Every documented key is there, and the evidence of what was learned is the person's own words."""
    session = machine.session("one").turn(WISH, steps=3)
    told = machine.json("dream")
    assert told.keys() >= DREAM_KEYS
    assert (told["outcome"], told["trigger"], told["reflector"]) == ("merged", "manual", "offline")
    assert told["commit"] == machine.git("rev-parse", "main")
    assert told["tokens"].keys() == {"input", "output", "cache_read"}
    [source] = told["sources"]
    assert source.keys() == {"source", "session_id", "from", "to", "digest"}
    assert source["session_id"] == session.session_id
    [learned] = told["learned"]
    assert learned.keys() >= {"path", "action", "type", "text", "evidence"}
    [evidence] = learned["evidence"]
    assert evidence.keys() >= {"source", "session_id", "turn", "role", "quote"}
    assert (evidence["session_id"], evidence["turn"], evidence["quote"]) == (session.session_id, 1, WISH)


def test_the_first_start_leaves_history_alone_and_says_how_to_read_it(tmp_path: Path) -> None:
    """What agents did before is read only when --backfill asks for it."""
    machine = Installation(tmp_path)
    machine.session("old").turn(WISH)
    told = machine.run("dream").stdout
    assert "nothing to reflect" in told
    assert "--backfill" in told
    assert "--backfill" in machine.run("dream", "--all").stdout
    assert "--backfill" in machine.run("status").stdout
    assert machine.json("dream", "--backfill")["outcome"] == "merged"
    assert machine.remembered(WISH) == 1


@pytest.mark.parametrize("word", ["path", "claude-code"])
def test_transcripts_elsewhere_are_read_when_named(tmp_path: Path, word: str) -> None:
    """`--from path:DIR` recognises the format, `--from claude-code:DIR` is told it; both read history."""
    machine = Installation(tmp_path)
    session = machine.session("old").turn(WISH)
    elsewhere = tmp_path / "a côpy" / "of something"
    elsewhere.mkdir(parents=True)
    shutil.move(session.path, elsewhere / session.path.name)
    (elsewhere / "notes.txt").write_text("no transcript")
    [source] = machine.json("dream", "--from", f"{word}:{elsewhere.parent}")["sources"]
    assert (source["source"], source["session_id"]) == ("claude-code", session.session_id)
    assert machine.remembered(WISH) == 1


def test_only_the_named_transcripts_are_read(machine: Installation) -> None:
    """--from narrows a dream to its files; the others stay new."""
    one, two = machine.session("one").turn(WISH), machine.session("two").turn(OTHER_WISH)
    [source] = machine.json("dream", "--from", f"path:{one.path}")["sources"]
    assert source["session_id"] == one.session_id
    [source] = machine.json("dream")["sources"]
    assert source["session_id"] == two.session_id


def test_since_leaves_older_turns_for_later(machine: Installation) -> None:
    """Turns that ended before a date are left out, and stay new."""
    machine.session("one").turn(WISH)
    assert machine.json("dream", "--since", "2100-01-01")["outcome"] == "nothing_to_reflect"
    assert machine.json("dream", "--since", "2020-01-01")["outcome"] == "merged"


def test_each_project_has_its_own_dream(machine: Installation) -> None:
    """A dream is about the folder it was asked in; --project names another, --all takes each."""
    other = machine.root / "another project"
    other.mkdir()
    machine.session("one").turn(WISH)
    machine.session("two", other).turn(OTHER_WISH)
    assert machine.json("dream", "--project", str(other))["project"] == "another-project"
    assert machine.remembered(WISH) == 0
    machine.session("three", other).turn("We always use pnpm in this project, never npm.")
    told = machine.json("dream", "--all")
    assert {d["project"] for d in told["dreams"]} == {"harbor", "another-project"}
    assert machine.remembered(WISH) == 1


def test_a_rehearsal_shows_the_diff_and_writes_nothing(dreamed: Installation) -> None:
    """--dry-run --json tells what would be learned; every byte of the home stays as it was."""
    dreamed.session("two").turn(OTHER_WISH, steps=2)
    before = tree(dreamed.own)
    told = dreamed.json("dream", "--dry-run")
    assert tree(dreamed.own) == before
    assert told["outcome"] == "planned"
    assert f"+- {OTHER_WISH}" in told["diff"]
    assert told["learned"]
    assert told["commit"] is None
    assert "nothing was written" in dreamed.run("dream", "--dry-run").stdout
    assert tree(dreamed.own) == before
    assert dreamed.json("dream")["outcome"] == "merged"


def test_an_explanation_names_the_signals_and_writes_nothing(dreamed: Installation) -> None:
    """--explain tells what speaks for each line and each near miss, and every byte of the home stays as it was."""
    dreamed.session("two").turn(OTHER_WISH, steps=2).turn("prices are off by a cent again", steps=1)
    before = tree(dreamed.own)
    told = dreamed.json("dream", "--explain")
    (line,) = [one for one in told["explained"] if one["learned"]]
    assert line["text"] == OTHER_WISH
    assert line["signal"] == "explicit preference"
    assert line["score"] == pytest.approx(sum(weight for _, weight in line["signals"]))
    assert any(not one["learned"] for one in told["explained"])
    shown = dreamed.run("dream", "--explain").stdout
    assert OTHER_WISH in shown
    assert "near miss" in shown
    assert tree(dreamed.own) == before


def test_only_the_offline_reflector_explains_itself(dreamed: Installation) -> None:
    """Another reflector has no weights to show, and says which one has."""
    ended = dreamed.run("dream", "--explain", "--reflector", "scripted", code=2)
    assert "--reflector offline" in ended.stderr


def test_a_rehearsal_before_the_first_start_writes_nothing(tmp_path: Path) -> None:
    """An installation that never ran is still none after a dry run over history."""
    machine = Installation(tmp_path)
    machine.session("old").turn(WISH)
    told = machine.json("dream", "--dry-run", "--backfill")
    assert (told["outcome"], WISH in told["diff"]) == ("planned", True)
    assert not machine.own.exists() or tree(machine.own) == {}


# ---------------------------------------------------------------------- a finished dream
def test_a_dream_can_be_looked_at(dreamed: Installation) -> None:
    """`log` lists it, `diff` shows it, by its id, the beginning of it, or as the last one."""
    [line] = dreamed.json("log")["dreams"]
    assert (line["status"], line["learned"], line["commit"]) == (
        "merged",
        1,
        dreamed.git("rev-parse", "main"),
    )
    told = dreamed.json("diff")
    assert f"+- {WISH}" in told["text"]
    assert dreamed.json("diff", line["dream_id"]) == told
    assert dreamed.json("diff", line["dream_id"][:-2]) == told
    assert line["dream_id"] in dreamed.run("log").stdout


def test_undo_brings_back_the_exact_tree(dreamed: Installation) -> None:
    """One commit takes a dream back: the tree is the one before it, and the turns stay read."""
    before = dreamed.git("rev-parse", "main^{tree}")
    dreamed.session("two").turn(OTHER_WISH)
    dreamed.run("dream")
    head = dreamed.git("rev-parse", "main")
    planned = dreamed.json("undo", "--dry-run")
    assert f"-- {OTHER_WISH}" in planned["text"]
    assert dreamed.git("rev-parse", "main") == head
    told = dreamed.json("undo")
    assert (told["status"], told["text"]) == ("undone", planned["text"])
    assert dreamed.git("rev-parse", "main^{tree}") == before
    assert dreamed.git("rev-parse", "main~1") == head
    assert dreamed.git("status", "--porcelain") == ""
    assert dreamed.json("log")["dreams"][0]["status"] == "undone"
    assert dreamed.json("dream")["outcome"] == "nothing_to_reflect"
    dreamed.run("undo")  # the first dream is now the last that landed
    dreamed.run("undo", code=2)


def test_a_reviewed_dream_waits_and_is_merged(pending: Installation) -> None:
    """--review ends with 3 and changes nothing on main; `merge` lands it without reading again."""
    assert pending.remembered(WISH) == 0
    assert pending.json("dream")["outcome"] == "nothing_to_reflect"
    [line] = pending.json("status")["pending"]
    assert line["reason"]
    assert f"+- {WISH}" in pending.json("diff")["text"]
    head = pending.git("rev-parse", "main")
    assert pending.json("merge", "--dry-run")["status"] == "would merge"
    assert pending.git("rev-parse", "main") == head
    assert pending.json("merge", line["dream_id"])["status"] == "merged"
    assert pending.remembered(WISH) == 1
    assert pending.merges() == [line["dream_id"]]
    assert pending.json("status")["pending"] == []
    pending.run("merge", code=2)


def test_a_reviewed_dream_waits_and_is_discarded(pending: Installation) -> None:
    """`discard` drops it, shows its diff once more, and what it read counts as read."""
    assert pending.json("discard", "--dry-run")["status"] == "would discard"
    told = pending.json("discard")
    assert (told["status"], f"+- {WISH}" in told["text"]) == ("discarded", True)
    assert pending.git("for-each-ref", "refs/heads/reflection/") == ""
    assert pending.json("dream")["outcome"] == "nothing_to_reflect"
    assert pending.remembered(WISH) == 0


def test_two_pending_dreams_must_be_named(pending: Installation) -> None:
    """`merge` without a name does not guess."""
    pending.session("two").turn(OTHER_WISH)
    pending.run("dream", "--review", code=3)
    assert "name one" in pending.run("merge", code=2).stderr
    for line in pending.json("status")["pending"]:
        pending.run("merge", line["dream_id"])
    assert (pending.remembered(WISH), pending.remembered(OTHER_WISH)) == (1, 1)


def test_a_persons_unfinished_edit_holds_a_dream_back(dreamed: Installation) -> None:
    """A dream that wants a file with uncommitted edits waits; committing them lets it land beside them."""
    [path] = [
        p
        for p in dreamed.git("ls-files", "projects").splitlines()
        if WISH in (dreamed.memory / p).read_text()
    ]
    file = dreamed.memory / path
    file.write_text(file.read_text().replace("# Preferences", "# What I prefer"))
    dreamed.session("two").turn(OTHER_WISH)
    told = dreamed.json("dream", code=3)
    assert path in told["pending_reason"]
    dreamed.run("merge", code=3)
    assert "# What I prefer" in file.read_text()
    dreamed.git("commit", "-qam", "mine")
    dreamed.run("merge")
    assert "# What I prefer" in file.read_text()
    assert (dreamed.remembered(WISH), dreamed.remembered(OTHER_WISH)) == (1, 1)


# ---------------------------------------------------------------------- status and recall
@pytest.mark.parametrize(
    ("settings", "steps", "ends", "reason"),
    [
        ("", 3, True, "3 of 25 steps, no compaction"),
        ('[dream]\ntriggers = ["off"]\n', 30, True, "off"),
        ("[dream]\nstep_count = 2\nquiet_seconds = 3600\n", 3, True, "quiet seconds"),
        ("[dream]\nstep_count = 1\n", 3, False, "no completed turn"),
    ],
)  # fmt: skip
def test_status_gives_a_reason_for_every_hold(
    machine: Installation, settings: str, steps: int, ends: bool, reason: str
) -> None:
    """Whatever keeps a dream from starting by itself can be read."""
    machine.settings(settings)
    machine.session("one").turn("Please look around.", steps=steps, ends=ends)
    machine.run("dream", "--dry-run")
    # a look at another project reads the transcripts and dreams of nothing
    machine.run("dream", "--project", str(machine.root))
    [gate] = machine.json("status")["gates"]
    assert (gate["decision"], reason in gate["reason"]) == ("hold", True), gate
    assert gate["reason"] in machine.run("status").stdout
    assert machine.json("status", "--project", str(machine.root))["gates"] == []


def test_status_says_after_a_dream_that_nothing_is_new(dreamed: Installation) -> None:
    """The gate holds because every turn was read; the last success has its time."""
    told = dreamed.json("status")
    [gate] = told["gates"]
    assert (gate["steps"], gate["new_turns"], gate["decision"]) == (0, 0, "hold")
    assert gate["last_success"] != "never"
    assert (told["daemon"], told["dreaming"]) == ("not running", "")
    assert told["memory"] == str(dreamed.memory)


def test_recall_finds_what_was_learned(dreamed: Installation) -> None:
    """A hit has its place and text; a question about something else has none."""
    hit, *turns = dreamed.json("recall", "make", "check")["hits"]
    assert WISH in hit["text"]
    assert (dreamed.memory / hit["path"]).is_file()
    assert {turn["type"] for turn in turns} == {"episodic"}  # where it was said
    assert WISH in dreamed.run("recall", "check").stdout
    assert dreamed.json("recall", "submarine")["hits"] == []
    assert dreamed.json("recall", "check", "--path", "reference/*")["hits"] == []
    assert "--all" in dreamed.run("recall", "submarine").stdout


def test_recall_elsewhere_asks_no_other_project_unless_told_to(dreamed: Installation) -> None:
    """In a folder no agent has worked in, a project's memory is found with --all only."""
    elsewhere = ("recall", "make", "check", "--project", str(dreamed.root))
    assert dreamed.json(*elsewhere)["hits"] == []
    hit, *_ = dreamed.json(*elsewhere, "--all")["hits"]
    assert hit["path"].startswith("projects/harbor/")
    assert "nothing found\n" in dreamed.run("recall", "submarine", "--all").stdout
    assert dreamed.json("recall", "check", "--path", "\udcff*")["hits"] == []


def test_recall_sees_an_edit_at_once(dreamed: Installation) -> None:
    """A file the person has just written is found; one they removed is not."""
    file = dreamed.memory / "reference" / "tea.md"
    file.parent.mkdir(exist_ok=True)
    file.write_text("---\ndescription: tea\n---\n- The kettle is in the galley.\n")
    assert dreamed.json("recall", "kettle")["hits"]
    file.unlink()
    assert dreamed.json("recall", "kettle")["hits"] == []


def test_context_and_reindex_read_memory(dreamed: Installation) -> None:
    """An agent's opening context holds the wish; the index can be thrown away and made anew."""
    assert WISH in dreamed.run("context").stdout
    assert WISH in dreamed.json("context")["text"]
    assert dreamed.json("reindex")["files"] >= 1
    assert dreamed.json("recall", "check")["hits"]
    elsewhere = dreamed.root / "elsewhere"
    elsewhere.mkdir()
    assert WISH not in dreamed.run("context", "--project", str(elsewhere)).stdout


def test_who_this_is_and_what_is_set(dreamed: Installation) -> None:
    """`id` and `config` tell where things come from."""
    told = dreamed.json("id")
    assert (told["instance_id"], told["kept_in"]) == (INSTANCE, "environment")
    assert INSTANCE in dreamed.run("id").stdout
    dreamed.settings("[dream]\nstep_count = 7\n")
    told = dreamed.json("config")
    assert (told["settings"]["dream"]["step_count"], told["file"]) == (7, str(dreamed.own / "config.toml"))
    assert "step_count = 7" in dreamed.run("config").stdout


def test_without_a_keyring_a_private_file_keeps_the_id(tmp_path: Path) -> None:
    """The id is made once, and the second process has the same."""
    machine = Installation(tmp_path, {"SLOWWAVE_INSTANCE_ID": ""})
    first = machine.json("id")
    assert machine.json("id") == first
    assert (machine.own / "data" / "instance-id").stat().st_mode & 0o777 == 0o600


def test_first_starts_at_once_make_one_id(tmp_path: Path) -> None:
    """Six processes start together before there is an id: all of them have the same."""
    machine = Installation(tmp_path, {"SLOWWAVE_INSTANCE_ID": ""})
    processes = [machine.start("id", "--json") for _ in range(6)]
    answers = [(*p.communicate(timeout=60), p.returncode) for p in processes]
    assert {code for _, _, code in answers} == {0}, answers
    assert len({json.loads(out)["instance_id"] for out, _, _ in answers}) == 1


def test_a_rehearsal_leaves_no_id_in_the_keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a keyring that keeps what it is given, a dry run gives it nothing; the dream itself does."""
    monkeypatch.delenv("PYTHON_KEYRING_BACKEND")
    settings, kept = tmp_path / "settings" / "python_keyring", tmp_path / "kept.txt"
    settings.mkdir(parents=True)
    (settings / "keyringrc.cfg").write_text(
        f"[backend]\ndefault-keyring=chest.Chest\nkeyring-path={settings}\n", "utf-8"
    )
    (settings / "chest.py").write_text(
        "import pathlib\nfrom keyring.backend import KeyringBackend\n"
        f"KEPT = pathlib.Path({str(kept)!r})\n"
        "class Chest(KeyringBackend):\n"
        "    priority = 1\n"
        "    def get_password(self, service, user): return KEPT.read_text() if KEPT.exists() else None\n"
        "    def set_password(self, service, user, word): KEPT.write_text(word)\n",
        "utf-8",
    )
    machine = Installation(
        tmp_path, {"SLOWWAVE_INSTANCE_ID": "", "XDG_CONFIG_HOME": str(tmp_path / "settings")}
    )
    machine.session("old").turn(WISH)
    assert machine.json("dream", "--dry-run", "--backfill")["outcome"] == "planned"
    assert not kept.exists()
    assert machine.json("dream", "--backfill")["outcome"] == "merged"
    assert kept.read_text() in machine.git("log", "-1", "--format=%B", "main")


def test_an_id_of_two_lines_is_refused(machine: Installation) -> None:
    """It would break the trailers of every commit."""
    done = machine.run("id", code=1, env={"SLOWWAVE_INSTANCE_ID": "a\nDream-Id: b"})
    assert "one line" in done.stderr


def test_the_checkup_names_what_stands_and_what_does_not(dreamed: Installation) -> None:
    """`doctor` is 0 when all is well, counts the sessions, and is 1 with the problem when something broke."""
    told = dreamed.json("doctor")
    assert all(f["level"] != "problem" for f in told["findings"])
    assert {a["name"]: a["sessions"] for a in told["agents"]}["claude-code"] == 1
    head = dreamed.memory / ".git" / "HEAD"
    head.write_text("nonsense")
    told = dreamed.json("doctor", code=1)
    assert [f["subject"] for f in told["findings"] if f["level"] == "problem"] == ["memory"]
    assert str(dreamed.memory) in dreamed.run("doctor", code=1).stdout


# ---------------------------------------------------------------------- interruption and competition
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_dream_leaves_nothing_half_done(tmp_path: Path, number: int) -> None:
    """Exit 130 and memory as it was; the next dream learns what this one would have."""
    machine = Installation(tmp_path).begin()
    machine.long_history()
    process = machine.start("dream", "--json")
    until(lambda: machine.step() == "worktree" or process.poll() is not None, "a dream that reflects")
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, "Traceback" in err) == (130, False), err
    assert json.loads(out)["error"]
    assert machine.merges() == []
    assert list((machine.own / "state" / "worktrees").iterdir()) == []
    assert machine.git("for-each-ref", "refs/heads/reflection/") == ""
    assert machine.nothing_runs()
    [line] = machine.json("log")["dreams"]
    assert line["status"] == "interrupted"
    assert machine.json("dream")["outcome"] == "merged"
    assert machine.remembered(WISH) == 1


def test_an_interrupted_reading_goes_on_where_it_was(tmp_path: Path) -> None:
    """Ctrl-C while transcripts are read is 130 too; the next dream reads the rest and learns all."""
    machine = Installation(tmp_path).begin()
    for number in range(400):
        machine.session(f"s{number}").turn(
            WISH if number == 399 else f"Please look at file {number}.", steps=8
        )
    process = machine.start("dream")
    with machine.store() as db:
        until(lambda: db.value("SELECT count(*) FROM sessions") > 10, "some of the files")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, "reading transcripts" in err) == (130, "", True), err
    assert machine.json("log")["dreams"] == []
    told = machine.json("dream")
    assert (told["outcome"], len(told["sources"])) == ("merged", 400)
    assert machine.remembered(WISH) == 1


def test_a_killed_dream_is_recovered_by_the_next(tmp_path: Path) -> None:
    """SIGKILL in the middle, no waiting for a stale lock: the next dream learns it, once."""
    machine = Installation(tmp_path).begin()
    machine.long_history()
    process = machine.start("dream")
    until(lambda: machine.step() == "worktree" or process.poll() is not None, "a dream that reflects")
    process.kill()
    process.communicate()
    assert machine.json("dream")["outcome"] == "merged"
    assert machine.remembered(WISH) == 1
    assert [d["status"] for d in machine.json("log")["dreams"]] == ["merged", "interrupted"]
    assert list((machine.own / "state" / "worktrees").iterdir()) == []


def test_only_one_dreams_at_a_time(machine: Installation) -> None:
    """While another process holds the lease a dream is told who, with exit 4; later it learns all."""
    machine.session("one").turn(WISH)
    with machine.store() as db:
        runs.take_lease(db, "somebody", "a dream of somebody", time.time())
        done = machine.run("dream", code=4)
        assert f"a dream of somebody (process {os.getpid()})" in done.stderr
        assert machine.json("dream", code=4)["error"]["exit_code"] == 4
        assert machine.json("status")["dreaming"] == "a dream of somebody"
        runs.give_lease_back(db, "somebody")
    assert machine.json("dream")["outcome"] == "merged"
    assert machine.remembered(WISH) == 1


def test_many_dreams_at_once_are_one(machine: Installation) -> None:
    """Four processes start together: one learns, the others are busy or find nothing, and it is learned once."""
    machine.session("one").turn(WISH)
    processes = [machine.start("dream", "--json") for _ in range(4)]
    answers = [(*p.communicate(timeout=60), p.returncode) for p in processes]
    assert all(code in {0, 4} for _, _, code in answers), answers
    assert sum(json.loads(out).get("outcome") == "merged" for out, _, _ in answers) == 1, answers
    assert machine.remembered(WISH) == 1


# ---------------------------------------------------------------------- how it speaks
@pytest.mark.parametrize("words", [*READING, ["dream", "--help"], ["doctor"]], ids=" ".join)
@pytest.mark.parametrize("buffered", ["", "1"])
def test_a_reader_that_leaves_is_no_failure(dreamed: Installation, words: list[str], buffered: str) -> None:
    """When the pipe is closed before the first word, nothing is complained about."""
    read, write = os.pipe()
    os.close(read)
    env = {**dreamed.env, "PYTHONUNBUFFERED": buffered}
    done = subprocess.run(
        dreamed.command(*words), cwd=dreamed.work, env=env, stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert done.stderr == b""
    assert done.returncode == (1 if "--help" in words else 0)  # click's own words for its own help


def test_the_first_line_can_be_had_alone(dreamed: Installation) -> None:
    """`slowwave config | head -1` is the first line, without complaint."""
    line = f'"{dreamed.command()[0]}" -m slowwave config | head -1'
    done = subprocess.run(["sh", "-c", line], env=dreamed.env, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("# settings: ")
    assert done.stderr == ""


def test_an_answer_nobody_can_write_is_an_error(dreamed: Installation) -> None:
    """Standard output on a full disk is exit 1 with the system's words."""
    if not Path("/dev/full").exists():
        pytest.skip("NOT TESTED HERE: no /dev/full")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            dreamed.command("log"),
            env=dreamed.env,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode != 0
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_there_are_no_colours_without_a_terminal(pending: Installation) -> None:
    """No escape codes in a pipe, whatever is shown, even where a terminal is promised."""
    env = {"TERM": "xterm-256color", "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"}
    for words in (*READING, ["doctor"]):
        done = pending.run(*words, env=env)
        assert "\x1b" not in done.stdout + done.stderr, words
    assert "\x1b" not in pending.run("dream", "--frob", code=2, env=env).stderr


def test_letters_the_terminal_lacks_are_escaped(dreamed: Installation) -> None:
    """Where only ASCII can be printed, every answer still comes."""
    for words in (*READING, ["doctor"]):
        assert dreamed.run(*words, env={"PYTHONIOENCODING": "ascii"}).stdout.isascii()


# ---------------------------------------------------------------------- settings
BROKEN = """\
[dreem]
[dream]
step_count = "many"
triggers = ["sometimes"]
reflector = "nobody"
[sources]
enabled = ["nothing"]
[daemon]
scan_seconds = true
"""


@pytest.mark.parametrize(
    "words",
    [
        ["dream"], ["diff"], ["merge"], ["discard"], ["undo"], ["log"], ["recall", "x"], ["context"],
        ["reindex"], ["status"], ["id"], ["config"], ["daemon", "status"], ["daemon", "run"], ["daemon", "stop"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_wrong_settings_are_told_all_at_once(tmp_path: Path, words: list[str]) -> None:
    """Whatever is asked, exit 2 with every problem in one go, and nothing is made."""
    machine = Installation(tmp_path)
    machine.settings(BROKEN)
    said = machine.run(*words, code=2).stderr
    for wrong in ("dreem", "step_count", "triggers", "reflector", "sources.enabled", "scan_seconds"):
        assert wrong in said, wrong
    assert "did you mean 'dream'" in said
    assert list(machine.own.iterdir()) == [machine.own / "config.toml"]


def test_the_checkup_tells_wrong_settings_too(tmp_path: Path) -> None:
    """`doctor` lists them as problems and ends with 1."""
    machine = Installation(tmp_path)
    machine.settings(BROKEN)
    found: list[dict[str, Any]] = machine.json("doctor", code=1)["findings"]
    assert sum(f["level"] == "problem" for f in found) == 6
