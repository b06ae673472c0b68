"""A real memory repository, a person who works in it with plain git, and reflections made the way dreams make
them.
"""

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from slowwave.memory import importer, shape
from slowwave.memory.publish import reflection_ref
from slowwave.memory.repo import MemoryRepository

SAFE = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_AUTHOR_NAME": "Person",
    "GIT_AUTHOR_EMAIL": "person@example.org",
    "GIT_COMMITTER_NAME": "Person",
    "GIT_COMMITTER_EMAIL": "person@example.org",
    "LC_ALL": "C",
}
MEMORY = {
    "system/person.md": b"---\ndescription: who\n---\nLikes tea.\n",
    "reference/a file with blanks.md": b"one\ntwo\nthree\nfour\nfive\n",
    "reference/ünï/日本.md": b"sake\n",
    "reference/crlf.md": b"one\r\ntwo\r\nmixed\n\rend",
    "projects/tea/notes.md": b"kettle\n",
}


@pytest.fixture
def repo(tmp_path: Path) -> MemoryRepository:
    """A memory repository with a few files, in a folder whose name shells would trip over."""
    made = shape.create(tmp_path / "mém $HOME ~ ory")
    for path, data in MEMORY.items():
        made.files.write(path, data)
    env = {"PATH": os.environ["PATH"], **SAFE}
    subprocess.run(["git", "add", "-A"], cwd=made.path, env=env, check=True)
    subprocess.run(["git", "commit", "-qm", "What I know"], cwd=made.path, env=env, check=True)
    return made


@pytest.fixture
def git(repo: MemoryRepository) -> Callable[..., str]:
    """The person's git in that checkout."""

    def run(*args: str) -> str:
        env = {"PATH": os.environ["PATH"], **SAFE}
        command = ["git", "-c", "core.quotePath=false", *args]
        done = subprocess.run(command, cwd=repo.path, env=env, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    return run


@pytest.fixture
def reflect(repo: MemoryRepository) -> Callable[..., str]:
    """A reflection's commit on its own branch: some files changed, or (None) removed."""

    def make(changes: Mapping[str, bytes | None], run_id: str = "r1", base: str | None = None) -> str:
        base = base or repo.head()
        files: dict[str, bytes] = {**importer.presentable(repo, base)}
        for path, data in changes.items():
            if data is None:
                del files[path]
            else:
                files[path] = data
        commit = importer.commit(repo, base, reflection_ref(run_id), files, f"Reflection {run_id}\n")
        assert commit
        return commit

    return make
