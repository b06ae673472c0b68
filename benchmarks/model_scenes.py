"""A slowwave in this process whose reflector is a scripted model: no network, no money, the whole pipeline."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from slowwave.dream import choice
from slowwave.dream.reflector import Reflector
from slowwave.dream.reflectors import REFLECTORS
from slowwave.dream.workshop import Workshop
from slowwave.models.prices import FREE
from slowwave.models.protocol import Answer, Request
from slowwave.models.scripted import ScriptedModel
from slowwave.service import Service
from slowwave.store.runs import Run

NAME = "scripted-model"


@contextmanager
def installation(
    play: Callable[[Request], Answer], now: Callable[[], float], settings: str = ""
) -> Iterator[Service]:
    """A fresh installation beside a person's home of its own (`service.env["HOME"]`), asking `play`."""

    def make(shop: Workshop, run: Run) -> Reflector:
        return choice.model_reflector(NAME, ScriptedModel(play), FREE, shop, run)

    REFLECTORS[NAME] = make
    try:
        with tempfile.TemporaryDirectory(prefix="slowwave-bench-") as folder:
            own, home = Path(folder) / "slowwave", Path(folder) / "home"
            own.mkdir()
            home.mkdir()
            (own / "config.toml").write_text(f'[dream]\nreflector = "{NAME}"\n{settings}', "utf-8")
            env = {
                "SLOWWAVE_HOME": str(own),
                "HOME": str(home),
                "SLOWWAVE_INSTANCE_ID": "bench",
                "PATH": "/usr/bin:/bin",
            }
            service = Service(env, now)
            with service.db.transaction():
                service.db.execute("INSERT INTO meta VALUES ('first_start', '1000')")
            try:
                yield service
            finally:
                service.close()
    finally:
        del REFLECTORS[NAME]
