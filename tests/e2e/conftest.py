"""Everything in this folder meets real programs: it is marked `e2e`, and given time for a first install."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.platform == "win32":
    collect_ignore_glob = ["*.py"]  # process groups and file locks here are those of Unix
else:
    from .agents import ClaudeCode, Codex, FakeModel
    from .process import call, environment

    @pytest.fixture
    def model(tmp_path: Path) -> Iterator[FakeModel]:
        """A scripted model server of the test's own."""
        with FakeModel(tmp_path / "model") as server:
            yield server

    @pytest.fixture
    def agents_home(tmp_path: Path) -> Path:
        """The throw-away home the agents share; a daemon that watches them takes it as HOME."""
        folder = tmp_path / "agents home é"  # spaces and non-ASCII letters are ordinary
        folder.mkdir()
        return folder

    @pytest.fixture
    def project(tmp_path: Path) -> Path:
        """An empty git repository to work in."""
        folder = tmp_path / "project"
        folder.mkdir()
        call(["git", "init", "-q", "-b", "main"], env=environment(tmp_path / "git"), cwd=folder, seconds=10)
        return folder

    @pytest.fixture
    def claude_code(agents_home: Path, model: FakeModel) -> ClaudeCode:
        """Claude Code, talking to the scripted model."""
        return ClaudeCode(agents_home, model)

    @pytest.fixture
    def codex(agents_home: Path, model: FakeModel) -> Codex:
        """Codex, talking to the scripted model."""
        return Codex(agents_home, model)


@pytest.hookimpl(tryfirst=True)  # before `-m "not e2e"` deselects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what is collected below this folder."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.e2e)
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(600))  # two installs at most; each call has its own limit
