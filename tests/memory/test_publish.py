"""A reflection lands whole and exactly once, waits for a person when it must, and can be taken back."""

import stat
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from slowwave.errors import BusyError
from slowwave.memory import publish as publishing
from slowwave.memory import shape
from slowwave.memory.publish import (
    Blocked,
    Landed,
    Raced,
    Ready,
    land,
    plan,
    publish,
    reflection_ref,
)
from slowwave.memory.repo import MemoryRepository

Git = Callable[..., str]
Reflect = Callable[..., str]

BLANKS = "reference/a file with blanks.md"
CHANGES = {
    "reference/neu 日本.md": b"new\r\nfile",
    BLANKS: b"one\ntwo\nthree\nfour\nFIVE\n",
    "reference/crlf.md": b"\r\nbytes \xc3\xa9\r\n\n",
    "projects/tea/notes.md": None,
}
MESSAGE = (
    "Dream d1\n\nLearned much.\n\nDream-Id: d1\nSources: a s 0..3 sha256:x\nSources: b s 0..1 sha256:y\n"
)


def landed(outcome: object) -> str:
    """The commit of an outcome that must be a landing without leftovers."""
    assert isinstance(outcome, Landed), outcome
    assert outcome.left_to_person == ()
    return outcome.commit


def test_a_reflection_lands_as_a_merge_commit(repo: MemoryRepository, git: Git, reflect: Reflect) -> None:
    """Two parents, the caller's trailers, and a checkout equal to it: bytes, names, no empty folders."""
    old, reflection = repo.head(), reflect(CHANGES)
    steps: list[str] = []
    commit = landed(publish(repo, reflection_ref("r1"), MESSAGE, steps.append))
    assert repo.head() == commit
    newest = repo.log(1)[0]
    assert newest.parents == (old, reflection)
    assert newest.trailers["Sources"] == ("a s 0..3 sha256:x", "b s 0..1 sha256:y")
    assert newest.author == "slowwave <slowwave@localhost>"
    for path, data in CHANGES.items():
        assert data == ((repo.path / path).read_bytes() if data is not None else None)
    assert not (repo.path / "projects").exists()
    assert git("status", "--porcelain") == ""
    assert steps[:4] == ["stage", "lock-index", "journal", "ref"]
    assert steps[-2:] == ["index", "done"]
    assert {s for s in steps if s.startswith("file:")} == {f"file:{p}" for p in CHANGES}


def test_publishing_twice_lands_once(repo: MemoryRepository, reflect: Reflect) -> None:
    """A reflection that is in memory already answers the commit that brought it."""
    reflect(CHANGES)
    first = landed(publish(repo, reflection_ref("r1"), MESSAGE))
    assert landed(publish(repo, reflection_ref("r1"), MESSAGE)) == first
    assert repo.head() == first


def test_a_message_can_be_made_from_the_paths(repo: MemoryRepository, reflect: Reflect) -> None:
    """The message may be a function of what changes."""
    reflect({"new.md": b"x"})
    landed(publish(repo, reflection_ref("r1"), lambda paths: f"Learned {', '.join(paths)}"))
    assert repo.log(1)[0].subject == "Learned new.md"


def test_a_person_working_elsewhere_is_not_disturbed(
    repo: MemoryRepository, git: Git, reflect: Reflect
) -> None:
    """Uncommitted, staged and untracked work in other files is the same before and after."""
    (repo.path / "system" / "person.md").write_text("edited\n")
    (repo.path / "draft.md").write_text("untracked\n")
    (repo.path / "staged.md").write_text("staged\n")
    git("add", "staged.md")
    before = git("status", "--porcelain")
    reflect(CHANGES)
    landed(publish(repo, reflection_ref("r1"), MESSAGE))
    assert git("status", "--porcelain") == before
    assert (repo.path / "system" / "person.md").read_text() == "edited\n"


def _edit(repo: MemoryRepository, _git: Git) -> None:
    (repo.path / BLANKS).write_text("my own\n")


def _delete(repo: MemoryRepository, _git: Git) -> None:
    (repo.path / BLANKS).unlink()


def _link(repo: MemoryRepository, _git: Git) -> None:
    (repo.path / BLANKS).unlink()
    (repo.path / BLANKS).symlink_to("crlf.md")


def _stage(repo: MemoryRepository, git: Git) -> None:
    before = (repo.path / BLANKS).read_bytes()
    (repo.path / BLANKS).write_text("my own\n")
    git("add", BLANKS)
    (repo.path / BLANKS).write_bytes(before)


def _untracked(repo: MemoryRepository, _git: Git) -> None:
    (repo.path / "new.md").write_text("my own\n")


def _folder_in_the_way(repo: MemoryRepository, _git: Git) -> None:
    (repo.path / "new.md").mkdir()


@pytest.mark.parametrize("act", [_edit, _delete, _link, _stage, _untracked, _folder_in_the_way])
def test_uncommitted_human_edits_block(
    repo: MemoryRepository, git: Git, reflect: Reflect, act: Callable[[MemoryRepository, Git], None]
) -> None:
    """A touched file that a person edited, deleted, linked, staged or made by hand makes the dream wait."""
    reflect({"new.md": b"dreamt\n", BLANKS: b"dreamt\n"})
    act(repo, git)
    before, head = git("status", "--porcelain"), repo.head()
    outcome = publish(repo, reflection_ref("r1"), MESSAGE)
    assert isinstance(outcome, Blocked)
    assert outcome.reason == publishing.OVERLAP
    assert len(outcome.paths) == 1
    assert (repo.head(), git("status", "--porcelain")) == (head, before)


def test_the_same_text_by_hand_does_not_block(repo: MemoryRepository, git: Git, reflect: Reflect) -> None:
    """A person who wrote what the dream wrote is not asked."""
    reflect({"new.md": b"same\n", BLANKS: b"same\n"})
    (repo.path / "new.md").write_text("same\n")
    (repo.path / BLANKS).write_text("same\n")
    landed(publish(repo, reflection_ref("r1"), MESSAGE))
    assert git("status", "--porcelain") == ""


def test_a_human_commit_meanwhile_is_merged(repo: MemoryRepository, git: Git, reflect: Reflect) -> None:
    """What a person committed since the dream began stays, also in the same file."""
    reflect({BLANKS: b"one\ntwo\nthree\nfour\nFIVE\n"})
    (repo.path / BLANKS).write_text("ONE\ntwo\nthree\nfour\nfive\n")
    git("commit", "-qam", "mine")
    landed(publish(repo, reflection_ref("r1"), MESSAGE))
    assert (repo.path / BLANKS).read_text() == "ONE\ntwo\nthree\nfour\nFIVE\n"


@pytest.mark.parametrize(("prefer", "text"), [("person", "mine\n"), ("dream", "dreamt\n")])
def test_a_conflict_waits_for_a_choice(
    repo: MemoryRepository, git: Git, reflect: Reflect, prefer: publishing.Prefer, text: str
) -> None:
    """A conflict blocks and changes nothing; with a choice, each conflicting file comes whole from that side."""
    reflect(
        {
            BLANKS: b"dreamt\n",
            "reference/crlf.md": b"dreamt\n",
            "free.md": b"free\n",
            "system/person.md": None,
        }
    )
    (repo.path / BLANKS).write_text("mine\n")
    (repo.path / "system" / "person.md").write_text("mine\n")
    git("rm", "-q", "reference/crlf.md")
    git("commit", "-qam", "mine")
    head = repo.head()
    outcome = publish(repo, reflection_ref("r1"), MESSAGE)
    assert isinstance(outcome, Blocked)
    assert outcome.reason == publishing.CONFLICT
    assert set(outcome.paths) == {BLANKS, "reference/crlf.md", "system/person.md"}
    assert (repo.head(), git("status", "--porcelain")) == (head, "")
    landed(publish(repo, reflection_ref("r1"), MESSAGE, prefer=prefer))
    assert (repo.path / BLANKS).read_text() == text
    assert (repo.path / "free.md").read_text() == "free\n"
    assert (repo.path / "reference" / "crlf.md").exists() == (prefer == "dream")
    assert (repo.path / "system" / "person.md").exists() == (prefer == "person")
    assert git("status", "--porcelain") == ""


def test_a_commit_between_plan_and_swap_makes_it_plan_again(
    repo: MemoryRepository, git: Git, reflect: Reflect
) -> None:
    """A person's commit in the last moment is under the landed merge, not lost and not overwritten."""
    reflect({BLANKS: b"dreamt\n"})

    def commit_once(step: str) -> None:
        if step == "stage" and not (repo.path / "late.md").exists():
            (repo.path / "late.md").write_text("late\n")
            git("add", "late.md")
            git("commit", "-qm", "late")

    commit = landed(publish(repo, reflection_ref("r1"), MESSAGE, commit_once))
    assert repo.tree(commit).keys() >= {"late.md", BLANKS}
    assert git("status", "--porcelain") == ""


def test_a_race_lost_every_time_is_told(repo: MemoryRepository, git: Git, reflect: Reflect) -> None:
    """When the branch moves at every attempt, the answer says so and nothing has landed."""
    reflect({BLANKS: b"dreamt\n"})
    steps = []

    def commit_always(step: str) -> None:
        if step == "stage":
            steps.append(step)
            git("commit", "-qm", "again", "--allow-empty")

    outcome = publish(repo, reflection_ref("r1"), MESSAGE, commit_always, attempts=3)
    assert outcome == Raced(repo.head())
    assert len(steps) == 3
    assert git("status", "--porcelain") == ""
    assert not (repo.own_dir / "journal.json").exists()


def test_an_edit_after_the_plan_is_left_to_the_person(
    repo: MemoryRepository, git: Git, reflect: Reflect
) -> None:
    """Text typed between plan and rename stays in the file and shows as an uncommitted change."""
    reflect({BLANKS: b"dreamt\n", "a.md": b"a\n", "system/person.md": None, "b/c.md": b"c\n"})

    def type_text(step: str) -> None:
        if step == "ref":
            (repo.path / BLANKS).write_text("typed now\n")
            (repo.path / "system" / "person.md").write_text("typed too\n")
            (repo.path / "b").symlink_to("reference")

    outcome = publish(repo, reflection_ref("r1"), MESSAGE, type_text)
    assert isinstance(outcome, Landed)
    assert set(outcome.left_to_person) == {BLANKS, "system/person.md", "b/c.md"}
    assert (repo.path / BLANKS).read_text() == "typed now\n"
    assert (repo.path / "system" / "person.md").read_text() == "typed too\n"
    assert (repo.path / "a.md").read_text() == "a\n"
    assert f' M "{BLANKS}"' in git("status", "--porcelain")


def test_a_person_cannot_commit_half_a_landing(repo: MemoryRepository, git: Git, reflect: Reflect) -> None:
    """While files are being replaced, a person's commit is turned away instead of reverting the dream."""
    reflect({BLANKS: b"dreamt\n", "a.md": b"a\n"})
    refused = []

    def try_commit(step: str) -> None:
        if step.startswith("file:"):
            with pytest.raises(AssertionError, match=r"index\.lock"):
                git("commit", "-qm", "in between", "--allow-empty")
            refused.append(step)

    landed(publish(repo, reflection_ref("r1"), MESSAGE, try_commit))
    assert len(refused) == 2
    assert git("status", "--porcelain") == ""


def test_a_git_at_work_makes_it_busy(repo: MemoryRepository, git: Git, reflect: Reflect) -> None:
    """While a person's git holds the index, landing waits a little, then answers busy, and nothing moved."""
    reflect({BLANKS: b"dreamt\n"})
    lock = repo.git_dir / "index.lock"
    lock.write_bytes(b"")
    head = repo.head()
    ready = plan(repo, reflection_ref("r1"), MESSAGE)
    assert isinstance(ready, Ready)
    with repo.lock(), pytest.raises(BusyError) as busy:
        land(repo, ready, patience=0.1)
    assert busy.value.exit_code == 4
    assert lock.exists()
    assert repo.head() == head
    lock.unlink()
    assert git("status", "--porcelain") == ""


def test_one_publishes_at_a_time(repo: MemoryRepository) -> None:
    """The lock turns a second holder away, and is free again when the first is done or dead."""
    code = (
        "import sys,time; from pathlib import Path; from slowwave.memory import shape\nfrom slowwave.memory.repo import MemoryRepository\n"
        "with shape.open_(Path(sys.argv[1])).lock():\n    print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(repo.path)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(BusyError), repo.lock(0.1):
            pass
        holder.kill()
        holder.wait()
        with repo.lock(5):
            pass


def test_four_reflections_at_once_all_land(repo: MemoryRepository, git: Git, reflect: Reflect) -> None:
    """Publishers in parallel take turns; every reflection lands once and the checkout is clean."""
    base = repo.head()
    for number in range(4):
        reflect({f"reference/{number}.md": b"x\n"}, f"r{number}", base)
    outcomes: list[object] = []

    def work(number: int) -> None:
        own = shape.open_(repo.path)
        outcomes.append(publish(own, reflection_ref(f"r{number}"), f"dream {number}"))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({landed(o) for o in outcomes}) == 4
    assert len(repo.commits_since(base)) == 4
    assert git("status", "--porcelain") == ""


def test_executable_bits_and_permissions_are_kept(repo: MemoryRepository, git: Git, reflect: Reflect) -> None:
    """A file keeps the permissions a person gave it when a dream changes its content."""
    (repo.path / BLANKS).chmod(0o600)
    reflect({BLANKS: b"dreamt\n"})
    landed(publish(repo, reflection_ref("r1"), MESSAGE))
    assert stat.S_IMODE((repo.path / BLANKS).stat().st_mode) == 0o600
    assert git("status", "--porcelain") == ""
