"""Secrets go, look-alikes stay, and the same secret keeps its tag."""

import base64
import hashlib
import random
import string
import uuid
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.transcripts.redact import Finding, Redactor

R = random.Random(20261201)
AL = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def pick(n: int, alphabet: str = AL) -> str:
    """Random characters; made here so that no real key ever stands in this file."""
    return "".join(R.choice(alphabet) for _ in range(n))


def b64(n: int) -> str:
    """Random base64."""
    return base64.b64encode(R.randbytes(n)).decode()


def pem() -> str:
    """A private key over several lines."""
    return (
        "-----BEGIN RSA PRIVATE KEY-----\n"
        + "\n".join(b64(48) for _ in range(4))
        + "\n-----END RSA PRIVATE KEY-----"
    )


# Kind → (secret, the text around it).
SECRETS: dict[str, Callable[[], tuple[str, str]]] = {
    "aws id": lambda: ("AKIA" + pick(16, string.ascii_uppercase + "234567"), "id {} used"),
    "aws secret": lambda: (pick(40, AL + "+/"), 'aws_secret_access_key = "{}"'),
    "github": lambda: ("ghp_" + pick(36), "git clone with {} failed"),
    "github fine": lambda: ("github_pat_" + pick(22) + "_" + pick(59), "use {}."),
    "gitlab": lambda: ("glpat-" + pick(20), "PRIVATE-TOKEN: {}"),
    "slack": lambda: (f"xoxb-{pick(12, string.digits)}-{pick(12, string.digits)}-{pick(24)}", "({})"),
    "stripe": lambda: ("sk_live_" + pick(24), "charge with {}"),
    "openai": lambda: ("sk-proj-" + pick(48) + "T3BlbkFJ" + pick(48), "key={}"),
    "anthropic": lambda: ("sk-ant-api03-" + pick(93, AL + "-_") + "AA", "export ANTHROPIC_API_KEY={}"),
    "google": lambda: ("AIza" + pick(35), "?key={}&x=1"),
    "npm": lambda: ("npm_" + pick(36), "//registry.npmjs.org/:_authToken={}"),
    "pypi": lambda: ("pypi-AgEIcHlwaS5vcmc" + pick(100), "twine -p {}"),
    "jwt": lambda: (f"eyJ{pick(33)}.eyJ{pick(60)}.{pick(43)}", "cookie {};"),
    "pem": lambda: (pem(), "before {} after"),
    "telegram": lambda: (f"{pick(9, '123456789')}:AA{pick(33)}", "POST https://api.telegram.org/bot{}/getMe"),
    "sendgrid": lambda: (f"SG.{pick(22)}.{pick(43)}", "{}"),
    "twilio": lambda: ("SK" + pick(32, HEX), "sid {}"),
    "huggingface": lambda: ("hf_" + pick(34, string.ascii_letters), "login {}"),
    "digitalocean": lambda: ("dop_v1_" + pick(64, HEX), "{}"),
    "age": lambda: ("AGE-SECRET-KEY-1" + pick(58, string.ascii_uppercase + string.digits), "# {}"),
    "url": lambda: (pick(16), "postgres://app:{}@db.internal:5432/prod"),
    "assigned": lambda: (pick(17, AL + "!@#%") + "7", 'DB_PASSWORD="{}"'),
    "single quoted": lambda: (pick(17) + "7", "api_key: '{}',"),
    "bare": lambda: (pick(31) + "7", "export STRIPE_TOKEN={}\n"),
    "json in json": lambda: (pick(19) + "7", r'{{"command":"export API_KEY=\"{}\""}}'),
    "dotted": lambda: (pick(15) + "7", "spring.datasource.password={}"),
    "bearer": lambda: (pick(39) + "7", "Authorization: Bearer {}"),
    "basic": lambda: (base64.b64encode(b"u:" + pick(12).encode()).decode(), '"authorization": "Basic {}"'),
    "flag": lambda: (pick(13) + "7", "mysql --password {} db"),
    "prose": lambda: (pick(13) + "7", "my password is {}"),
    "curl": lambda: (pick(13) + "7", "curl -u admin:{} https://x"),
    "azure": lambda: (b64(64), "AccountKey={};EndpointSuffix=core.windows.net"),
}

LOOK_ALIKES: dict[str, Callable[[], str]] = {
    "git sha": lambda: f"commit {pick(40, HEX)}",
    "short sha": lambda: f"[main {pick(7, HEX)}] fix token refresh",
    "uuid": lambda: f"session {uuid.UUID(int=R.getrandbits(128))}",
    "integrity": lambda: f'"integrity": "sha512-{b64(64)}"',
    "docker": lambda: f"image@sha256:{hashlib.sha256(R.randbytes(4)).hexdigest()}",
    "wheel hash": lambda: f'hash = "sha256:{hashlib.sha256(R.randbytes(4)).hexdigest()}"',
    "image": lambda: f"data:image/png;base64,{b64(300)}",
    "image mark": lambda: f"[image sha256:{hashlib.sha256(R.randbytes(4)).hexdigest()}]",
    "path": lambda: f"/usr/lib/python3/{pick(8)}/{pick(10)}.py:12",
    "key path": lambda: "private_key=/etc/ssl/private/server1.key",
    "tool id": lambda: f'"id":"toolu_01{pick(22)}"',
    "signature": lambda: f'"signature":"{b64(200)}"',
    "os.environ": lambda: "password = os.environ['DB_PASSWORD1']",
    "process.env": lambda: "const token = process.env.API_TOKEN2",
    "shell variable": lambda: "curl --token=$GITHUB_TOKEN2 && TOKEN=${CI_TOKEN_1}",
    "stand-in": lambda: 'API_KEY="<your-key-1>" or API_KEY=your-api-key-here2',
    "signature of a function": lambda: "def check_password(user1, password=None, token: str | None = None):",
    "usage": lambda: f'"input_tokens": {R.randint(1000, 99999)}, "max_tokens": 123456789',
    "prose": lambda: "the token is expired, and the password was wrong; secret sharing is described below",
    "attribute": lambda: "self.token = settings.token2",
    "call": lambda: "secret = getSecret2()",
    "link": lambda: f"https://example.com/a:b/c?id={R.randint(1, 10**9)}@x",
    "camel": lambda: "getSecretManagerServiceClientFactoryBuilderInstance",
    "css": lambda: '<input type="password" name="password" placeholder="Password">',
    "schema": lambda: '"password": "string", "token": "required"',
}


@pytest.mark.parametrize("kind", SECRETS)
def test_every_secret_is_replaced(kind: str) -> None:
    """Twenty secrets of each kind: none is left, and the text around them stands."""
    redactor = Redactor(b"k")
    R.seed(kind)
    for _ in range(20):
        secret, around = SECRETS[kind]()
        text = f"some words\n{around.format(secret)}\nmore words"
        out = redactor.redact(text)
        assert secret not in out, text
        assert "[redacted:" in out
        assert out.startswith("some words\n")
        assert out.endswith("\nmore words")
        assert redactor.redact(out) == out


@pytest.mark.parametrize("kind", LOOK_ALIKES)
def test_no_look_alike_is_touched(kind: str) -> None:
    """Twenty values of each kind that only look like secrets stay as they are."""
    R.seed(kind)
    for _ in range(20):
        text = f"some words\n{LOOK_ALIKES[kind]()}\nmore words"
        assert Redactor(b"k").redact(text) == text


def test_the_same_secret_has_the_same_tag() -> None:
    """A tag recognises a secret in another place, and says nothing to who has no key."""
    secret = "ghp_" + pick(36)
    first, second = Redactor(b"a"), Redactor(b"b")
    assert first.redact(f"x {secret}")[2:] == first.redact(f"TOKEN={secret}")[6:]
    assert first.redact(secret) != second.redact(secret)
    assert "a" * 30 not in repr(Redactor(b"a" * 30))


def test_findings_are_places_in_characters() -> None:
    """Text that is not ASCII does not shift them."""
    secret = "ghp_" + pick(36)
    text = f"é\U0001f600 {secret} ü"
    assert Redactor(b"k").findings(text) == (Finding("github-token", 3, 3 + len(secret)),)
    assert text[3 : 3 + len(secret)] == secret


_pieces = st.sampled_from(
    ["password=", "token: ", '"', "'", " ", "\n", "sk_live_", "AKIA", "x9Zq", "abcdefgh1", "://u:", "@", "[", "]",
     "[redacted:jwt:0123abcd]", "Authorization: Bearer ", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----",
     "é", "\\", "(", "Secret1234567890abcdEFGH"]
)  # fmt: skip


@given(st.lists(_pieces | st.text(max_size=6), max_size=14).map("".join))
def test_redacting_twice_is_redacting_once(text: str) -> None:
    """Placeholders are never taken for secrets, whatever stands around them."""
    redactor = Redactor(b"k")
    once = redactor.redact(text)
    assert redactor.redact(once) == once
    assert redactor.findings(once) == ()


SAID = [
    "hall wifi changed, psk is Gr4nite-Ox-7714-lumen",
    "SMTP-Passwort ist übrigens FMhvgAe8ZdIDfk, trag es in die .env ein",
    "la contraseña del broker: O5PbUTusjgntnA , guárdala",
    "o token do MDM vazou no chat: mdmtok_5Vb8QxZr2LcW9nTe7KyHu3Ga",
    "le mot de passe est maintenant Xk93-Lpqz-7714",
    "appsecret 是 e16776c94ab86ab211aec792d6f927b48b17d2d3，你测一下",
    "パスワードは Kf8sLq2Zx9Wm です",
    "DROP_PASS again, it's Qm7-trellis-9931-voss",
    "signtool sign /f app.pfx /p ecbRgplvmkbX1X app.msi",
    "in case it asks: lims_pat_9wKc2TzR7vUe4HnQy0Bd5LxA",
]
HARMLESS = [
    "the cache key is deps-linux-3.11-x86_64",
    "the token count is 128000 and the limit is 200000tokens",
    "the session token expires: 2026-01-01T00:00:00Z",
    "the primary key is user_id_2024_seq",
    "passwort steht in der config/app-2.yaml",
    "la clave primaria es cliente_id_2",
    "the api key is in 1Password, item prod-db-7",
    "rotate the encryption key: every 90days",
    "the secret to speed is batching: 4096rows at a time",
    "our license key lives in vault: see docs/vault-2.md",
    "password rules: at least 12characters",
    "private_key: Ed25519PrivateKey | None = None",
]


@pytest.mark.parametrize("text", SAID)
def test_a_secret_that_is_said_is_replaced(text: str) -> None:
    """Told in a sentence, in any of the languages, it is gone all the same."""
    assert "[redacted:" in Redactor(b"k").redact(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_words_beside_such_names_stay(text: str) -> None:
    """Names that are said for other things too do not take the sentence with them."""
    assert Redactor(b"k").redact(text) == text
