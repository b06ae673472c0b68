"""Files are found by name in the agents' homes, by content where a person points."""

import shutil
from pathlib import Path

import pytest

from slowwave.errors import TranscriptError, UsageError
from slowwave.transcripts.discover import SessionFile, find, from_argument, recognise
from slowwave.transcripts.formats import FORMATS, walk

from .samples import CLAUDE, CLAUDE_FILES, CODEX_FILES, FIXTURES, FOLDERS


def test_the_agents_own_variables_say_where_they_write(tmp_path: Path) -> None:
    """CLAUDE_CONFIG_DIR and CODEX_HOME replace the defaults; a missing home holds nothing."""
    env = {"CLAUDE_CONFIG_DIR": str(FIXTURES / "claude-code"), "CODEX_HOME": str(FIXTURES / "codex")}
    found = set(find(env, tmp_path, FORMATS))
    assert found == {
        *(SessionFile(p, "claude-code") for p in CLAUDE_FILES),
        *(SessionFile(p, "codex") for p in CODEX_FILES),
    }
    assert list(find({}, tmp_path, FORMATS)) == []
    shutil.copytree(FIXTURES / "codex", tmp_path / ".codex")
    assert len(list(find({}, tmp_path, FORMATS))) == len(CODEX_FILES)


def test_extra_folders_are_searched_once(tmp_path: Path) -> None:
    """A folder named twice gives each file once."""
    extra = {"claude-code": (FIXTURES / "claude-code", CLAUDE)}
    assert len(list(find({}, tmp_path, ["claude-code"], extra))) == len(CLAUDE_FILES)


def test_only_session_files_are_found(tmp_path: Path) -> None:
    """Names that are no session's, links, and what links lead to are passed over."""
    outside = tmp_path / "outside"
    shutil.copytree(CLAUDE, outside)
    root = tmp_path / "root"
    root.mkdir()
    (root / "history.jsonl").touch()
    (root / "journal.jsonl").touch()
    (root / "link").symlink_to(outside)
    (root / CLAUDE_FILES[0].name).symlink_to(outside / CLAUDE_FILES[0].name)
    assert list(FORMATS["claude-code"].discover(root)) == []


@pytest.mark.parametrize(
    ("argument", "count"),
    [
        (f"claude-code:{FIXTURES}", len(CLAUDE_FILES)),
        (f"codex:{FIXTURES}", len(CODEX_FILES)),
        (f"path:{FIXTURES}", len(CLAUDE_FILES) + len(CODEX_FILES)),
        (f"path:{CLAUDE_FILES[0]}", 1),
    ],
)
def test_an_argument_names_files_in_any_nesting(tmp_path: Path, argument: str, count: int) -> None:
    """A source or `path`, a folder of any shape or one file."""
    assert len(from_argument(argument, {}, tmp_path)) == count


def test_content_decides_for_files_of_other_names(tmp_path: Path) -> None:
    """A copy under another name in another nesting is recognised."""
    target = tmp_path / "a b" / "c"
    target.mkdir(parents=True)
    shutil.copy(CODEX_FILES[0], target / "copy.jsonl")
    (target / "other.jsonl").write_text('{"some": "thing"}\n')
    (found,) = from_argument(f"path:{tmp_path}", {}, tmp_path)
    assert (found.path.name, found.format_name) == ("copy.jsonl", "codex")


@pytest.mark.parametrize(
    "argument", ["nobody", "nobody:/tmp", "path", "path:", "codex:", "path:/no/such/place"]
)
def test_a_wrong_argument_is_a_usage_error(tmp_path: Path, argument: str) -> None:
    """Unknown source, no path, missing path: nothing is done and the person is told."""
    with pytest.raises(UsageError):
        from_argument(argument, {}, tmp_path)


def test_nothing_recognised_is_a_usage_error(tmp_path: Path) -> None:
    """A folder without transcripts is not silently empty."""
    (tmp_path / "x.jsonl").write_text('{"a":1}\n')
    with pytest.raises(UsageError, match="recognised"):
        from_argument(f"path:{tmp_path}", {}, tmp_path)


def test_a_folder_that_cannot_be_listed_is_named(tmp_path: Path) -> None:
    """A failed listing is an error and never an empty folder; a name too long fails for any user."""
    with pytest.raises(TranscriptError, match="cannot list"):
        list(walk.files(tmp_path / ("x" * 300), lambda _: True))


def test_every_generated_file_is_recognised_as_its_agents(shared: Path) -> None:
    """No transcript that a real client wrote is taken for another agent's."""
    generated = shared / "data" / "transcripts" / "generated"
    for path in generated.rglob("*.jsonl"):
        agent = path.relative_to(generated).parts[0]
        assert recognise(path) in {FOLDERS.get(agent, agent), None}, path
