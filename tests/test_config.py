"""Settings: defaults, every problem at once, homes."""

import re
from pathlib import Path

import pytest

from slowwave.config import Homes, Settings, load_settings, parse_settings
from slowwave.errors import ConfigError


def test_no_file_means_the_defaults(tmp_path: Path) -> None:
    """A person who wrote no settings gets 25 steps, both automatic triggers and the offline reflector."""
    settings = load_settings(tmp_path / "config.toml")
    assert settings == Settings()
    assert settings.dream.step_count == 25
    assert settings.dream.automatic
    assert settings.dream.reflector == "offline"


def test_every_problem_is_told_at_once() -> None:
    """A file with six mistakes gets six lines, each naming the setting and what it wants."""
    text = """
        [dream]
        step_count = 0
        step_cuont = 3
        triggers = ["never"]
        reflector = "oracle"
        [deamon]
        scan_seconds = 5
        [memory]
        worktrees = "both"
    """
    with pytest.raises(ConfigError) as caught:
        parse_settings(text, "config.toml", known={"dream.reflector": ("offline",)})
    told = "\n".join(caught.value.problems)
    assert len(caught.value.problems) == 6
    assert "did you mean 'step_count'?" in told
    assert "did you mean 'daemon'?" in told
    assert "dream.step_count = 0 must be a whole number from 1 to 100000" in told
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("text", ["[dream", "dream = 3", "a = [1,"])
def test_broken_toml_is_a_settings_error(text: str) -> None:
    """Text that is no TOML, or no section, is named with its place and never a traceback."""
    with pytest.raises(ConfigError, match=r"config\.toml"):
        parse_settings(text, "config.toml")


def test_a_boolean_is_no_number() -> None:
    """`true` where a number belongs is refused, although Python would take it for 1."""
    with pytest.raises(ConfigError, match="whole number"):
        parse_settings("[dream]\nstep_count = true", "config.toml")


def test_off_switches_automatic_dreams_off() -> None:
    """`off` among the triggers wins over the others."""
    settings = parse_settings('[dream]\ntriggers = ["off", "step-count"]', "x")
    assert not settings.dream.automatic


def test_a_file_that_cannot_be_read_is_not_taken_for_the_defaults(tmp_path: Path) -> None:
    """A folder, or bytes that are no UTF-8, in the place of the file is an error."""
    (tmp_path / "config.toml").write_bytes(b"\xff\xfe[dream]")
    with pytest.raises(ConfigError):
        load_settings(tmp_path / "config.toml")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ConfigError):
        load_settings(tmp_path / "folder")


def test_slowwave_home_holds_everything(tmp_path: Path) -> None:
    """With SLOWWAVE_HOME set, settings, data, state and memory all lie below it."""
    homes = Homes.find({"SLOWWAVE_HOME": str(tmp_path)})
    assert homes.memory == tmp_path / "memory"
    for path in (homes.config_file, homes.data, homes.state, homes.runtime, homes.database, homes.runs):
        assert path.is_relative_to(tmp_path)


def test_made_homes_are_private(tmp_path: Path) -> None:
    """The folders a home gets are readable by this user alone."""
    homes = Homes.find({"SLOWWAVE_HOME": str(tmp_path)})
    homes.make()
    assert homes.data.stat().st_mode & 0o077 == 0
    assert homes.runtime.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[model]\nbase_url = "localhost:11434"', "must be an address that begins with https:// or http://"),
        ("[model]\nprices = { m = 3 }", "US dollars per million tokens"),
        ("[model]\nprices = { m = { input = 1.0 } }", "US dollars per million tokens"),
        ("[model]\nprices = { m = { input = -1.0, output = 1.0 } }", "US dollars per million tokens"),
        (
            "[model]\nprices = { m = { input = 1.0, output = 1.0, tax = 1.0 } }",
            "US dollars per million tokens",
        ),
        ('[agent]\nbilling = "free"', "must be one of"),
        ("[budget]\nday_usd = -1", "must be a number from 0"),
        ("[budget]\nmonth_usd = 1", "unknown setting budget.month_usd"),
    ],
)
def test_what_models_may_cost_is_checked_before_anything_is_asked(text: str, why: str) -> None:
    """A price, an address or a budget that means nothing is an error, never a default."""
    with pytest.raises(ConfigError, match=re.escape(why)):
        parse_settings(text, "config.toml")


def test_prices_may_leave_out_what_caches_cost() -> None:
    """Input and output are enough; whole numbers are numbers."""
    settings = parse_settings("[model.prices]\nm = { input = 1, output = 2.5 }", "config.toml")
    assert settings.model.prices == {"m": {"input": 1, "output": 2.5}}
