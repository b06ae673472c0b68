"""How well secrets are told from what only looks like them: a corpus made from a seed, no real key in it.

Every kind of secret and of look-alike comes 40 times, each in a line of its own among ordinary lines, as tools
print them. Recall is the share of secrets of which nothing is left that names them; precision is the share of
findings that are secrets. Speed is per second of processor time, over 20 MB of text as transcripts have it. The
peer, detect-secrets with the plug-ins and filters it comes with, scans a file of the same lines, where it is
installed (`pip install --group bench`, or SLOWWAVE_PEER_PYTHON names a Python that has it).
"""

import base64
import json
import os
import random
import string
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.tables import Row, Table
from benchmarks.worlds import Worlds
from slowwave.transcripts.redact import Redactor

SEED = 20261201
EACH = 40
RECALL, PRECISION, SPEED = 0.99, 0.99, 5.0
_AL = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"
_BYTES = 20_000_000


@dataclass(frozen=True)
class Sample:
    """A line; `secret` is what must not be left of it, "" for a look-alike."""

    kind: str
    line: str
    secret: str = ""


class _Made:
    """Random material."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def pick(self, n: int, alphabet: str = _AL) -> str:
        """Random characters, a digit and a letter of each case among them where the alphabet has them."""
        while True:
            text = "".join(self.rng.choice(alphabet) for _ in range(n))
            if n < 8 or alphabet is not _AL or (any(c.isdigit() for c in text) and text.lower() != text):
                return text

    def b64(self, n: int) -> str:
        """The base64 of `n` random bytes."""
        return base64.b64encode(self.rng.randbytes(n)).decode()

    def word(self) -> str:
        """A word of code."""
        return self.rng.choice(
            ("token", "cache", "parser", "handler", "session", "client", "buffer", "widget")
        )


def _secrets(m: _Made) -> dict[str, Callable[[], tuple[str, str]]]:
    """Kind → a maker of (secret, line with `{}` for it)."""
    p = m.pick
    return {
        "aws key id": lambda: ("AKIA" + p(16, string.ascii_uppercase + "234567"), "aws_access_key_id = {}"),
        "aws secret key": lambda: (p(40, _AL + "+/"), 'aws_secret_access_key = "{}"'),
        "github token": lambda: ("ghp_" + p(36), "git clone https://x:{}@github.com/o/r"),
        "github fine-grained token": lambda: (f"github_pat_{p(22)}_{p(59)}", "remote: invalid {}"),
        "gitlab token": lambda: ("glpat-" + p(20), "curl -H 'PRIVATE-TOKEN: {}' https://gitlab.example.org"),
        "slack token": lambda: (f"xoxb-{p(12, string.digits)}-{p(12, string.digits)}-{p(24)}", "SLACK_BOT={}"),
        "stripe key": lambda: ("sk_live_" + p(24), "stripe.api_key = '{}'"),
        "openai key": lambda: (f"sk-proj-{p(48)}T3BlbkFJ{p(48)}", "OPENAI_API_KEY={}"),
        "anthropic key": lambda: (f"sk-ant-api03-{p(93, _AL + '-_')}AA", "export ANTHROPIC_API_KEY={}"),
        "google key": lambda: ("AIza" + p(35), "GET /maps/api?key={}&v=3"),
        "npm token": lambda: ("npm_" + p(36), "//registry.npmjs.org/:_authToken={}"),
        "pypi token": lambda: ("pypi-AgEIcHlwaS5vcmc" + p(100), "twine upload -u __token__ -p {}"),
        "jwt": lambda: (f"eyJ{p(33)}.eyJ{p(60)}.{p(43)}", "Cookie: session={}; Path=/"),
        "private key": lambda: (m.b64(48), "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----"),
        "telegram token": lambda: (f"{p(9, '123456789')}:AA{p(33)}", "POST https://api.telegram.org/bot{}/getMe"),
        "sendgrid key": lambda: (f"SG.{p(22)}.{p(43)}", "SENDGRID={}"),
        "twilio key": lambda: ("SK" + p(32, _HEX), "sid: {}"),
        "hugging face token": lambda: ("hf_" + p(34, string.ascii_letters), "huggingface-cli login --token {}"),
        "digitalocean token": lambda: ("dop_v1_" + p(64, _HEX), "doctl auth init -t {}"),
        "password in a url": lambda: (p(16), "DATABASE_URL=postgres://app:{}@db.internal:5432/prod"),
        "quoted password": lambda: (p(17) + "7", 'DB_PASSWORD="{}"'),
        "bare token": lambda: (p(31) + "7", "export DEPLOY_TOKEN={}"),
        "json in json": lambda: (p(19) + "7", '{{"command":"export API_KEY=\\"{}\\""}}'),
        "bearer": lambda: (p(39) + "7", "Authorization: Bearer {}"),
        "basic": lambda: (base64.b64encode(f"u:{p(12)}".encode()).decode(), '"authorization": "Basic {}"'),
        "password flag": lambda: (p(13) + "7", "mysql --user app --password {} shop"),
        "told in a sentence": lambda: (p(13) + "7", "by the way, my password is {}"),
        "azure account key": lambda: (m.b64(64), "AccountName=x;AccountKey={};EndpointSuffix=core.windows.net"),
    }  # fmt: skip


def _look_alikes(m: _Made) -> dict[str, Callable[[], str]]:
    """Kind → a maker of a line."""
    p, rng = m.pick, m.rng
    return {
        "git commit": lambda: f"commit {p(40, _HEX)}",
        "short commit": lambda: f"[main {p(7, _HEX)}] refresh the {m.word()} when it is stale",
        "uuid": lambda: f"{m.word()} {uuid.UUID(int=rng.getrandbits(128))} created",
        "package lock integrity": lambda: f'"integrity": "sha512-{m.b64(64)}",',
        "wheel hash": lambda: f"    --hash=sha256:{p(64, _HEX)} \\",
        "image digest": lambda: f"FROM python@sha256:{p(64, _HEX)}",
        "base64 image": lambda: f"data:image/png;base64,{m.b64(300)}",
        "path": lambda: f"/usr/lib/python3/dist-packages/{p(8)}/{p(10)}.py:{rng.randint(1, 900)}",
        "path of a key": lambda: f"ssl_certificate_key /etc/nginx/ssl/{m.word()}-{rng.randint(1, 99)}.key;",
        "id of a tool call": lambda: f'"id":"toolu_01{p(22)}"',
        "signature of a thought": lambda: f'"signature":"{m.b64(200)}"',
        "variable of the environment": lambda: f"password = os.environ['{m.word().upper()}_PASSWORD{rng.randint(1, 9)}']",
        "shell variable": lambda: f'curl -H "Authorization: Bearer ${m.word().upper()}_TOKEN{rng.randint(1, 9)}"',
        "stand-in": lambda: rng.choice(('API_KEY="<your-key-1>"', "API_KEY=your-api-key-here2", "TOKEN=xxxxxxxxxxxx1")),
        "function": lambda: f"def check_password({m.word()}{rng.randint(1, 9)}, password=None, token: str | None = None):",
        "usage": lambda: f'"input_tokens": {rng.randint(1000, 99999)}, "max_tokens": {rng.randint(1000, 99999)}',
        "prose": lambda: f"the token of the {m.word()} is expired, and the password was wrong {rng.randint(2, 9)} times",
        "attribute": lambda: f"self.{m.word()}_token = settings.{m.word()}_token{rng.randint(1, 9)}",
        "call": lambda: f"secret = get_{m.word()}_secret{rng.randint(1, 9)}()",
        "link": lambda: f"https://example.com/{m.word()}:{rng.randint(1, 99)}/c?id={rng.randint(1, 10**9)}",
        "schema": lambda: '"password": {"type": "string", "minLength": ' + f"{rng.randint(8, 20)}" + "}",
        "etag": lambda: f'ETag: W/"{p(32, _HEX)}"',
        "go.sum": lambda: f"golang.org/x/{m.word()} v0.{rng.randint(1, 30)}.0 h1:{m.b64(32)}",
        "trace id": lambda: f"traceparent: 00-{p(32, _HEX)}-{p(16, _HEX)}-01",
    }  # fmt: skip


def corpus(seed: int = SEED) -> list[Sample]:
    """Every kind 40 times, shuffled; the same for the same seed."""
    m = _Made(seed)
    samples = []
    for kind, make in _secrets(m).items():
        for _ in range(EACH):
            secret, around = make()
            samples.append(Sample(kind, around.format(secret), secret))
    samples += [Sample(kind, make()) for kind, make in _look_alikes(m).items() for _ in range(EACH)]
    m.rng.shuffle(samples)
    return samples


def measure(worlds: Worlds) -> Table:
    """Recall, precision and speed, and the peer's."""
    samples = corpus()
    redactor = Redactor(b"benchmark")
    out = [redactor.redact(s.line) for s in samples]
    found = [o != s.line for s, o in zip(samples, out, strict=True)]
    gone = [bool(s.secret) and s.secret not in o for s, o in zip(samples, out, strict=True)]
    text = _text(samples, _BYTES // 10 if worlds.quick else _BYTES)
    begun = time.process_time()
    for piece in text:
        redactor.redact(piece)
    speed = sum(map(len, text)) / 1e6 / (time.process_time() - begun)
    recall, precision = _rates(samples, gone, found)
    missed = sorted({s.kind for s, g in zip(samples, gone, strict=True) if s.secret and not g})
    wrong = sorted({s.kind for s, f in zip(samples, found, strict=True) if f and not s.secret})
    rows = [
        Row("recall", (recall,), "", floor=RECALL),
        Row("precision", (precision,), "", floor=PRECISION),
        Row("speed", (speed,), "MB/s", floor=SPEED),
    ]
    kinds = {True: len(_secrets(_Made(0))), False: len(_look_alikes(_Made(0)))}
    remarks = [
        f"{kinds[True]} kinds of secret and {kinds[False]} of look-alike, {EACH} of each, seed {SEED}",
        f"missed: {', '.join(missed) or 'none'}; taken for one: {', '.join(wrong) or 'none'}",
    ]
    peer = _peer(samples)
    if peer is None:
        remarks.append("detect-secrets is not installed, so there is nothing beside it")
    else:
        rates = _rates(
            samples, [bool(s.secret) and h for s, h in zip(samples, peer.hits, strict=True)], peer.hits
        )
        rows += [
            Row("peer: recall", (rates[0],), "", beside=f"detect-secrets {peer.version}"),
            Row("peer: precision", (rates[1],), "", beside=f"detect-secrets {peer.version}"),
            Row("peer: speed", (peer.speed,), "MB/s", beside="the same lines"),
        ]
    return Table("secrets: what is found, and what is left alone", tuple(rows), tuple(remarks))


def _rates(samples: list[Sample], gone: list[bool], found: list[bool]) -> tuple[float, float]:
    secrets = sum(bool(s.secret) for s in samples)
    right = sum(f and bool(s.secret) for s, f in zip(samples, found, strict=True))
    return sum(gone) / secrets, right / max(1, sum(found))


def _text(samples: list[Sample], size: int) -> list[str]:
    """Pieces of about 3 KB as transcripts have them: mostly ordinary lines, now and then one of the corpus."""
    rng = random.Random(SEED)
    ordinary = [
        "    for row in rows: total += row.amount", "Ran 214 tests in 3.2s, all of them passed", "diff --git a/x.py b/x.py",
        "I looked at the parser; the names in it are fine, and the cache works.", "drwxr-xr-x 2 dev dev 4096 Jan 1 src",
    ]  # fmt: skip
    pieces, made = [], 0
    while made < size:
        lines = [rng.choice(ordinary) for _ in range(50)]
        if rng.random() < 0.3:
            lines[rng.randrange(50)] = rng.choice(samples).line
        pieces.append("\n".join(lines))
        made += len(pieces[-1])
    return pieces


# ---------------------------------------------------------------------- the peer
@dataclass(frozen=True)
class _Peer:
    hits: list[bool]
    speed: float
    version: str


_DETECT = """
import json, sys, tempfile, time
from importlib.metadata import version
from detect_secrets import SecretsCollection
from detect_secrets.settings import default_settings
samples = json.load(sys.stdin)
with tempfile.NamedTemporaryFile("w", suffix=".txt") as file, default_settings():
    owners = [n for n, text in enumerate(samples) for _ in text.split("\\n")]
    file.write("\\n".join(samples))
    file.flush()
    begun = time.process_time()
    found = SecretsCollection()
    found.scan_file(file.name)
    seconds = time.process_time() - begun
hit = {owners[secret.line_number - 1] for _, secret in found}
told = {"hits": [n in hit for n in range(len(samples))], "seconds": seconds, "version": version("detect-secrets")}
print(json.dumps(told))
"""


def _peer(samples: list[Sample]) -> _Peer | None:
    lines = [s.line for s in samples]
    python = os.environ.get("SLOWWAVE_PEER_PYTHON", sys.executable)
    done = subprocess.run(
        [python, "-c", _DETECT], input=json.dumps(lines), capture_output=True, text=True, check=False
    )
    if done.returncode:
        return None
    told = json.loads(done.stdout)
    return _Peer(told["hits"], sum(map(len, lines)) / 1e6 / told["seconds"], told["version"])
