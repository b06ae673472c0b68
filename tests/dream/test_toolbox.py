"""One contract, two toolboxes: the worktree behind the guard, and the dict of dry runs."""

from collections.abc import Callable
from pathlib import Path

import pytest

from slowwave.dream.reflector import Toolbox
from slowwave.dream.toolbox import InMemoryToolbox, WorktreeToolbox, scope_of, writable_roots
from slowwave.errors import ScopeError, SlowwaveError, UsageError

Make = Callable[[dict[str, str]], Toolbox]


@pytest.fixture(params=["worktree", "memory"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """Makes a toolbox of each kind over the same files, for a dream of the project `harbor`."""

    def worktree(files: dict[str, str]) -> Toolbox:
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return WorktreeToolbox(scope_of(tmp_path, "harbor"))

    def memory(files: dict[str, str]) -> Toolbox:
        return InMemoryToolbox(files, writable_roots("harbor"))

    return worktree if request.param == "worktree" else memory


def test_edits_do_what_they_say(make: Make) -> None:
    """Create, replace, insert, rename and delete change the one file and no other."""
    box = make({"system/a.md": "one\ntwo\n"})
    box.create("projects/harbor/reference/b.md", "b\n")
    box.str_replace("system/a.md", "two", "2")
    box.insert("system/a.md", 1, "between")
    assert box.view("system/a.md") == "one\nbetween\n2\n"
    box.rename("system/a.md", "reference/a.md")
    assert box.list() == ("projects/harbor/reference/b.md", "reference/a.md")
    box.delete("reference/a.md")
    assert box.list() == ("projects/harbor/reference/b.md",)


@pytest.mark.parametrize(
    "edit",
    [
        lambda b: b.create("system/a.md", "x"),
        lambda b: b.str_replace("system/a.md", "absent", "x"),
        lambda b: b.str_replace("system/a.md", "x", "y"),
        lambda b: b.str_replace("system/a.md", "", "y"),
        lambda b: b.insert("system/a.md", 9, "x"),
        lambda b: b.rename("system/a.md", "system/b.md"),
    ],
)
def test_an_edit_that_would_have_to_guess_is_refused(make: Make, edit: Callable[[Toolbox], None]) -> None:
    """Overwriting, an absent or ambiguous text, and a line that is not there are errors that change nothing."""
    files = {"system/a.md": "x and x\n", "system/b.md": "b\n"}
    box = make(files)
    with pytest.raises(UsageError):
        edit(box)
    assert {p: box.view(p) for p in box.list()} == files


@pytest.mark.parametrize(
    "path",
    [
        "../x.md",
        "/etc/x.md",
        "projects/other/system/x.md",
        "x.md",
        "system/../x.md",
        "system//x.md",
        "system",
    ],
)
def test_nothing_outside_the_scope_is_written(make: Make, path: str) -> None:
    """Another project's folder, the root and every way upwards are refused."""
    box = make({})
    with pytest.raises(ScopeError):
        box.create(path, "x")
    assert box.list() == ()


def test_a_file_that_is_not_there_is_an_error_that_names_it(make: Make) -> None:
    """Reading and deleting what does not exist says so."""
    box = make({})
    for act in (box.view, box.delete):
        with pytest.raises(SlowwaveError, match=r"absent\.md"):
            act("system/absent.md")
