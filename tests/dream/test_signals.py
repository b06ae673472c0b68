"""Classes of words in seven languages, their weights, and the explanation made of them."""

import pytest

from slowwave.dream import signals, weights
from slowwave.dream.explain import explain

from .talk import PROJECT, learned_from, memory_of, says, session


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("must", "logs must rotate"), ("must", "logs müssen rotieren"), ("must", "hay que rotar los logs"),
        ("must", "il faut tourner les logs"), ("must", "tem que girar os logs"), ("must", "日志必须轮转"), ("must", "ログは必須"),
        ("forbid", "nobody edits it"), ("forbid", "keiner fasst es an"), ("forbid", "nada de globales"),
        ("forbid", "jamais de globales"), ("forbid", "proibido usar globais"), ("forbid", "禁止全局变量"), ("forbid", "直接書かないで"),
        ("instead", "ints rather than floats"), ("instead", "int statt float"), ("instead", "int en vez de float"),
        ("instead", "int au lieu de float"), ("instead", "int em vez de float"), ("instead", "用 int 而不是 float"),
        ("instead", "float じゃなくて int"),
        ("reason", "because it rots"), ("reason", "weil es rostet"), ("reason", "porque se oxida"), ("reason", "sinon ça rouille"),
        ("reason", "senão enferruja"), ("reason", "因为会坏"), ("reason", "錆びるため"),
        ("chose", "we settled on redis"), ("chose", "wir haben uns auf redis geeinigt"), ("chose", "decidimos redis"),
        ("chose", "on a choisi redis"), ("chose", "escolhemos redis"), ("chose", "选用 redis"), ("chose", "redis を選んだ"),
    ],
)  # fmt: skip
def test_each_class_has_words_in_each_language(name: str, said: str) -> None:
    """The same notion is found whatever language it is said in."""
    assert name in signals.of(said)


def test_every_class_has_a_weight() -> None:
    """The table knows every class, so that no word counts by accident."""
    assert set(signals.PATTERNS) <= set(weights.WEIGHTS)


@pytest.mark.parametrize(
    "said",
    ["set the timeout to 9 just for my test", "heute bitte ohne Linter", "solo esta vez sin tests", "juste cette fois sans tests",
     "só hoje sem testes", "临时关掉缓存", "今回だけテストなしで", "la contraseña es Xk29PqLmT0Zr, siempre úsala", "密码是 abc12345，必须用它"],
)  # fmt: skip
def test_what_is_for_now_or_secret_is_never_learned(said: str) -> None:
    """One-offs and secrets are left in every language, whatever else speaks for the sentence."""
    assert memory_of(says("hello", said)) == {}


def test_a_step_between_failure_and_success_is_the_fix() -> None:
    """The line names what failed and the step that was taken."""
    talk = session(
        [("user", "go"), ("call", "pier start"), ("bad", "Exit code 1\nerror: cannot open the schema")],
        [("user", "and?"), ("call", "dbtool seed"), ("ok", "seeded"), ("call", "pier start"), ("ok", "up")],
    )
    assert learned_from(talk) == [
        'If `pier start` fails with "error: cannot open the schema": run `dbtool seed` first.'
    ]


def test_an_explanation_names_what_was_learned_and_what_nearly_was() -> None:
    """Scores are the sums of the weights shown, and only what the plan learns counts as learned."""
    talk = says("hi there", "logs must rotate because the disk is small", "the disk is always small")
    found = explain([talk], {}, PROJECT)
    assert any(one.learned for one in found)
    for one in found:
        assert one.score == sum(weight for _, weight in one.signals)
        assert one.learned or one.score < weights.ENOUGH or one.signals
