"""The extra `[semantic]`: memory is found by what it means, by the real model, and off costs nothing."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from slowwave.errors import ConfigError
from slowwave.recall import encoder, vectors
from slowwave.recall.answers import Answers, ignore_progress, never
from tests.recall.conftest import Memory

LINES = (
    "Use pnpm in this repository.",
    "Money is stored as integer cents.",
    "Deploys happen on Mondays.",
    "The proxy listens on 8443.",
)


@pytest.fixture
def meant(memory: Memory) -> Memory:
    """A memory that is also asked by meaning."""
    memory.write("system/a.md", *LINES)
    memory.answers = Answers(memory.folder, memory.state, lambda text: text, semantic=True)
    return memory


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("which package manager", LINES[0]),
        ("how are prices represented", LINES[1]),
        ("release day", LINES[2]),
    ],
)
def test_a_note_is_found_without_a_word_in_common(meant: Memory, question: str, line: str) -> None:
    """Full text finds nothing here; meaning does, once the vectors are there."""
    assert line not in meant.texts(question)
    assert meant.answers.warm_up()
    assert meant.texts(question)[0] == line
    assert "close in meaning" in meant.ask(question)[0].why


def test_what_is_gone_is_not_found_by_its_vector(meant: Memory) -> None:
    """A vector outlives its document; the document does not come back."""
    meant.ask("anything")
    meant.answers.warm_up()
    meant.write("system/a.md", "Nothing of the kind.")
    assert LINES[0] not in meant.texts("which package manager", limit=50)
    meant.answers.warm_up()
    assert LINES[0] not in meant.texts("which package manager", limit=50)


def test_an_interrupted_filling_goes_on_where_it_was(meant: Memory) -> None:
    """Rows beyond the note do not count, and no document gets two vectors."""
    meant.ask("anything")
    meant.answers.warm_up()
    folder = meant.state / "vectors"
    sizes = {p.name: p.stat().st_size for p in folder.iterdir()}
    with (folder / "bytes.i8").open("ab") as file:
        file.write(b"torn")
    (folder / "slowwave.json").write_text(json.dumps({"model": vectors.MODEL, "rows": 2}))
    meant.answers.close()
    meant.answers.warm_up()
    assert {p.name: p.stat().st_size for p in folder.iterdir()} == sizes
    assert meant.texts("which package manager")[0] == LINES[0]


@pytest.mark.parametrize("damage", ["deleted", "short", "other model", "garbage"])
def test_damaged_vectors_are_made_anew(meant: Memory, damage: str) -> None:
    """They hold nothing that the index does not say; until they are there again full text answers."""
    meant.ask("anything")
    meant.answers.warm_up()
    meant.answers.close()
    folder = meant.state / "vectors"
    match damage:
        case "deleted":
            vectors.discard(folder)
        case "short":
            (folder / "bits.u8").write_bytes(b"")
        case "other model":
            (folder / "slowwave.json").write_text(json.dumps({"model": "another", "rows": 5}))
        case _:
            (folder / "slowwave.json").write_text("{")
    assert meant.texts("deploys mondays") == [LINES[2]]
    assert meant.answers.warm_up()
    assert meant.texts("which package manager")[0] == LINES[0]


def test_signs_and_bytes_keep_the_order_of_the_exact_vectors(tmp_path: Path) -> None:
    """What is nearest by the kept vectors is nearest by the exact ones."""
    made = encoder.Encoder()
    exact = made.encode([*LINES, "How much is it?"])
    kept = vectors.Vectors(tmp_path, made)
    kept._append(np.arange(1, 6), exact)
    asked = kept.encode("prices in cents")
    order = sorted(range(1, 6), key=lambda n: -float(exact[n - 1] @ asked))
    assert kept.nearest(asked, 5) == order
    close = kept.closeness(asked, [1, 2, 3, 99])
    assert set(close) == {1, 2, 3}
    assert close[2] == pytest.approx(float(exact[1] @ asked), abs=0.02)


def test_filling_can_be_stopped(meant: Memory) -> None:
    """Whoever fills in the background ends when asked to."""
    meant.ask("anything")
    store = meant.answers._vectors
    assert store is not None
    assert store.fill(meant.answers.documents, ignore_progress, lambda: True) == 0
    assert store.fill(meant.answers.documents, ignore_progress, never) == 5


def test_a_file_that_is_not_the_known_one_is_refused(tmp_path: Path) -> None:
    """The model and its vocabulary are checked by digest before they are used."""
    other = tmp_path / "model.onnx"
    other.write_bytes(b"something else")
    with pytest.raises(ConfigError, match="not the file that slowwave knows"):
        encoder._checked(other, encoder._MODEL_SHA256)


def test_without_the_extra_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """A setting that cannot be met is an error with a way out, not silence."""
    monkeypatch.setattr(encoder, "_PARTS", ("no_such_package_of_anybody",))
    with pytest.raises(ConfigError, match="not installed") as failed:
        encoder.Encoder()
    assert "slowwave[semantic]" in failed.value.hint


def test_off_costs_nothing(tmp_path: Path) -> None:
    """A question with the extra installed but off imports none of it, and no tantivy either."""
    script = (
        "import sys, datetime, pathlib\n"
        "from slowwave.recall.answers import Answers\n"
        "from slowwave.recall.search import Question\n"
        "root = pathlib.Path(sys.argv[1])\n"
        "(root / 'memory').mkdir()\n"
        "(root / 'memory/a.md').write_text('- The cache lives in redis.\\n')\n"
        "answers = Answers(root / 'memory', root / 'state', str)\n"
        "assert answers.ask(Question('cache'), datetime.datetime.now(datetime.UTC))\n"
        "answers.close()\n"
        "print([m for m in ('numpy', 'onnxruntime', 'tokenizers', 'tantivy') if m in sys.modules])\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (ran.stdout, ran.returncode) == ("[]\n", 0), ran.stderr
