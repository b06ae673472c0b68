"""A project keeps its own folder of memory, and never gets another's, even when the store is lost."""

import shutil
from pathlib import Path

import pytest

from slowwave.service import Service
from slowwave.store import progress
from slowwave.verbs import DreamRequest, ignore_step

from .installation import OTHER_WISH, WISH
from .sessions import ClaudeSession

NOW = 1_800_000_000.0
ONE, TWO = "/one/app", "/two/app"


class Household:
    """One person's home and slowwave's; each verb is a process of its own."""

    def __init__(self, root: Path) -> None:
        self.user, self.own = root / "user", root / "own"

    def service(self, cwd: str) -> Service:
        """A new process. It started long before any transcript was written."""
        env = {"SLOWWAVE_HOME": str(self.own), "HOME": str(self.user), "SLOWWAVE_INSTANCE_ID": "test"}
        service = Service(env, lambda: NOW, cwd=Path(cwd))
        with service.db.transaction():
            service.db.execute("INSERT INTO meta VALUES ('first_start', '1000') ON CONFLICT DO NOTHING")
        return service

    def works(self, name: str, cwd: str, wish: str) -> None:
        """An agent is told something in a project."""
        ClaudeSession(self.user, name, cwd=cwd).turn(wish)

    def dream(self, cwd: str, *, review: bool = False) -> None:
        """Dream about the project of a folder."""
        service = self.service(cwd)
        service.dream(DreamRequest(review=review), ignore_step)
        service.close()

    def loses_the_store(self) -> None:
        """The store is gone, and the agents' files with it; memory is not."""
        shutil.rmtree(self.own / "data")
        shutil.rmtree(self.user / ".claude")

    def folders(self, cwd: str) -> dict[str, str]:
        """The folder each project has."""
        service = self.service(cwd)
        found = {p.key: p.slug for _, p in progress.projects(service.db)}
        service.close()
        return found

    def context(self, cwd: str) -> str:
        """What an agent is told at its start."""
        service = self.service(cwd)
        text: str = service.context(project="", token_budget=2000).text
        service.close()
        return text


@pytest.fixture
def household(tmp_path: Path) -> Household:
    """A person whose agents have told one project a wish."""
    found = Household(tmp_path)
    found.works("a", ONE, WISH)
    return found


@pytest.mark.parametrize("review", [False, True], ids=["merged", "pending"])
def test_a_folder_that_is_anothers_is_taken(household: Household, review: bool) -> None:
    """A project of the same name that comes when the store is lost gets the next name, and learns nothing of the other."""
    household.dream(ONE, review=review)
    household.loses_the_store()
    household.works("b", TWO, OTHER_WISH)
    household.dream(TWO)
    assert household.folders(TWO)[TWO] == "app-2"
    assert OTHER_WISH in household.context(TWO)
    assert WISH not in household.context(TWO)


def test_projects_get_their_own_folders_back(household: Household) -> None:
    """Whichever project is worked in first after the store was lost, each has the folder it had."""
    household.dream(ONE)
    household.works("b", TWO, OTHER_WISH)
    household.dream(TWO)
    before = household.folders(ONE)
    assert before == {ONE: "app", TWO: "app-2"}
    household.loses_the_store()
    household.works("c", TWO, "Please look around.")
    household.dream(TWO)
    household.works("d", ONE, "Please look around.")
    household.dream(ONE)
    assert household.folders(ONE) == before
    assert OTHER_WISH in household.context(TWO)
    assert WISH in household.context(ONE)


def test_a_folder_a_person_made_is_for_the_project_of_that_name(household: Household) -> None:
    """A folder that no dream was about is nobody else's."""
    household.dream(ONE)
    folder = household.own / "memory" / "projects" / "harbor" / "system"
    folder.mkdir(parents=True)
    (folder / "mine.md").write_text("- The pier is closed.\n")
    household.works("b", "/three/harbor", OTHER_WISH)
    household.dream("/three/harbor")
    assert household.folders(ONE)["/three/harbor"] == "harbor"


def test_a_new_project_waits_for_a_memory_that_cannot_be_read(household: Household) -> None:
    """While memory is damaged no folder is given away; the transcript is read later and nothing is lost."""
    household.dream(ONE)
    household.loses_the_store()
    household.works("b", TWO, OTHER_WISH)
    objects = household.own / "memory" / ".git" / "objects"
    objects.rename(objects.with_name("away"))
    service = household.service(TWO)
    told = service.ingest.scan(service.session_files())
    assert told.problems
    assert progress.projects(service.db) == []
    service.close()
    objects.with_name("away").rename(objects)
    household.dream(TWO)
    assert household.folders(TWO)[TWO] == "app-2"
    assert OTHER_WISH in household.context(TWO)
