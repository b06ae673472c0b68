"""One session file of 2 GB, and one whose single row of 64 MiB holds an image: time and memory of reading them.

A child process of its own takes the daemon's way: the scan reads the whole file into a fresh store, redacted.
The resident peak is the child's own. Another child only splits the same bytes at newlines and decodes each line
with msgspec, a chunk at a time, for comparison. The files are written into the run's folder and deleted at once.
"""

import base64
import json
import os
import random
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.processes import BenchmarkError, environment, memory_mb, run
from benchmarks.tables import Row, Table
from benchmarks.worlds import Worlds
from slowwave.service import Service
from slowwave.transcripts.discover import SessionFile

LARGE, QUICK = 2 << 30, 100 << 20
LINE = 64 << 20
MEMORY_LIMIT = 150.0
_ROOM = 1 << 30  # left free on the disk


def measure(worlds: Worlds) -> Table:
    """Write, read, delete."""
    size = QUICK if worlds.quick else LARGE
    if shutil.disk_usage(worlds.root).free < size + _ROOM:
        raise BenchmarkError(f"no room for {size:,} bytes below {worlds.root}; --quick needs less")
    rows: list[Row] = []
    for name, write in (("large", lambda p: write_large(p, size)), ("line", write_line)):
        path = worlds.root / "claude" / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        turns = write(path)
        megabytes = path.stat().st_size / 1e6
        what = f"a file of {megabytes:,.0f} MB" if name == "large" else "a row of 64 MiB"
        command = [sys.executable, "-m", "benchmarks.large_files"]
        env = environment(worlds.root, worlds.root / f"large-{name}")
        ours = json.loads(run([*command, "ours", str(path)], env).out)
        bare = json.loads(run([*command, "bare", str(path)], env).out)
        path.unlink()
        if ours["turns"] != turns:
            raise BenchmarkError(f"{what}: {ours['turns']} turns read, {turns} written")
        speed = megabytes / ours["seconds"]
        beside = f"bare decode {megabytes / bare['seconds']:.0f} MB/s, {bare['peak_mb']:.0f} MB"
        rows.append(Row(f"{what}: resident peak", (ours["peak_mb"],), "MB", MEMORY_LIMIT))
        rows.append(Row(f"{what}: read, redacted, {turns:,} turns stored", (speed,), "MB/s", beside=beside))
    return Table("large_files: memory does not grow with a file", tuple(rows))


def write_large(path: Path, size: int) -> int:
    """A session of ordinary turns, one after the other, until `size` bytes are there; how many they are."""
    rng = random.Random(7)
    words = [
        f"{rng.choice(('open', 'read', 'wrote', 'found', 'moved'))} line {n} of module_{n % 90}"
        for n in range(400)
    ]
    results = ["\n".join(rng.sample(words, 200)) for _ in range(50)]
    turns = written = 0
    with path.open("wb") as file:
        while written < size:
            turns += 1
            data = "".join(json.dumps(row) + "\n" for row in _turn(turns, rng.choice(results))).encode()
            written += file.write(data)
    return turns


def write_line(path: Path) -> int:
    """A session of two turns; the result of a tool in the first is an image, and its row has 64 MiB."""
    first, second = _turn(1, ""), _turn(2, "text")
    image = base64.b64encode(random.Random(1).randbytes((LINE - 4096) * 3 // 4)).decode()
    source = {"type": "base64", "media_type": "image/png", "data": image}
    first[2]["message"]["content"][0]["content"] = [{"type": "image", "source": source}]
    path.write_text("".join(json.dumps(row) + "\n" for row in [*first, *second]), "utf-8")
    return 2


def _turn(n: int, result: str) -> list[dict[str, Any]]:
    """A prompt, a call, its result, and the closing words."""
    call = {
        "type": "tool_use",
        "id": f"toolu_{n}",
        "name": "Read",
        "input": {"file_path": f"/w/module_{n % 90}.py"},
    }
    told = {"type": "tool_result", "tool_use_id": f"toolu_{n}", "content": result, "is_error": False}
    end = {"type": "text", "text": f"Done with number {n}: the check passes now."}
    messages = (
        ("user", {"role": "user", "content": f"Please look at number {n} and run the check."}),
        ("assistant", _reply(f"msg_{n}_1", call, "tool_use")),
        ("user", {"role": "user", "content": [told]}),
        ("assistant", _reply(f"msg_{n}_2", end, "end_turn")),
    )
    return [
        {"type": kind, "uuid": f"{n}-{k}", "sessionId": "large", "cwd": "/w", "version": "2.1.197", "message": message,
         "timestamp": "2026-01-01T00:00:00Z"}
        for k, (kind, message) in enumerate(messages)
    ]  # fmt: skip


def _reply(own: str, block: dict[str, Any], stop: str) -> dict[str, Any]:
    return {"id": own, "role": "assistant", "model": "m", "content": [block], "stop_reason": stop}


# ---------------------------------------------------------------------- in the child
def ours(path: Path) -> int:
    """Read it as the daemon does; how many turns there are."""
    service = Service(os.environ, lambda: 1000.0)  # before any file was written, so none is history
    try:
        done = service.ingest.scan([SessionFile(path, "claude-code")])
        if done.problems or done.damage:
            raise RuntimeError(f"{done}")
        return int(service.db.value("SELECT count(*) FROM turns"))
    finally:
        service.close()


def bare(path: Path) -> int:
    """Split and decode, a chunk at a time; how many rows there are."""
    decoder, rest, rows = msgspec.json.Decoder(Any), b"", 0
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                decoder.decode(line)
                rows += 1
    return rows


if __name__ == "__main__":
    begun = time.perf_counter()
    count = {"ours": ours, "bare": bare}[sys.argv[1]](Path(sys.argv[2]))
    told = {"turns": count, "seconds": time.perf_counter() - begun, "peak_mb": memory_mb("self", "VmHWM")}
    print(json.dumps(told))
