"""Notions in seven languages, their weights, the signals made of them, and the explanation."""

import math

import pytest

from slowwave.dream import lexicon, weights
from slowwave.dream.candidate import Kind
from slowwave.dream.explain import explain
from slowwave.dream.signals import SIGNALS

from .talk import PROJECT, REFUSED, dreamt, learned_from, lines_of, memory_of, says, session


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("must", "logs must rotate"), ("must", "logs müssen rotieren"), ("must", "hay que rotar los logs"),
        ("must", "il faut tourner les logs"), ("must", "tem que girar os logs"), ("must", "日志必须轮转"), ("must", "ログは必須"),
        ("forbid", "nobody edits it"), ("forbid", "keiner fasst es an"), ("forbid", "nada de globales"),
        ("forbid", "jamais de globales"), ("forbid", "é proibido usar globais"), ("forbid", "禁止全局变量"), ("forbid", "直接書かないで"),
        ("instead", "ints rather than floats"), ("instead", "wir nehmen int statt float"), ("instead", "int en vez de float"),
        ("instead", "int au lieu de float"), ("instead", "int em vez de float"), ("instead", "用 int 而不是 float"),
        ("instead", "float じゃなくて int"),
        ("reason", "because it rots"), ("reason", "weil es rostet"), ("reason", "porque se oxida"), ("reason", "sinon ça rouille"),
        ("reason", "senão enferruja"), ("reason", "因为会坏"), ("reason", "錆びるため"),
        ("chose", "we settled on redis"), ("chose", "wir haben uns auf redis geeinigt"), ("chose", "decidimos redis"),
        ("chose", "on a choisi redis"), ("chose", "escolhemos redis"), ("chose", "选用 redis"), ("chose", "redis を選んだ"),
    ],
)  # fmt: skip
def test_each_notion_has_words_in_each_language(name: str, said: str) -> None:
    """The same notion is found whatever language it is said in."""
    assert lexicon.has(said, name)
    assert name in lexicon.notions(said)


@pytest.mark.parametrize(
    ("said", "language"),
    [("the logs rotate", "en"), ("die Logs rotieren nicht", "de"), ("los logs no se tocan", "es"), ("les logs ne tournent pas", "fr"),
     ("os logs não rodam", "pt"), ("日志轮转", "zh"), ("ログを回す", "ja")],
)  # fmt: skip
def test_a_sentence_is_read_in_its_own_language(said: str, language: str) -> None:
    """Words of other languages that look alike do not count; near kin (Spanish, Portuguese) may both be meant."""
    read = lexicon.languages(said)
    assert language in read
    assert len(read) <= 2


def test_every_language_has_the_same_notions_but_for_its_grammar() -> None:
    """What one language can say, every language can: a notion is no word of English."""
    kinds = {language: {*module.WORDS, *module.OPENINGS} for language, module in lexicon.LANGUAGES.items()}
    assert all(notions == kinds["en"] for notions in kinds.values())


def test_every_weight_is_of_a_notion_that_can_be_shown() -> None:
    """The table names nothing that no sentence shows."""
    built = {
        "value", "name", "generic", "asks", "fragment", "short", "middling", "sentence", "long", "one_thing",
        "errand_and_more", "dated", "refused", "opening", "scolding",
        "state_of_now", "wish_of_another", "word_of_another", "fixed_day", "ends",
    }  # fmt: skip
    named = {*weights.LASTING}.union(*(table for _, table in weights.KINDS.values()))
    assert named <= lexicon.NOTIONS | built
    assert {signal.KIND for signal in SIGNALS} == set(weights.KINDS)


def test_the_same_notions_always_weigh_the_same() -> None:
    """Sums do not depend on the order of a set: a score at the limit falls on one side of it."""
    names = sorted(weights.LASTING)
    assert weights.lasting(names) == weights.lasting(reversed(names))
    assert math.isclose(weights.lasting(names), sum(weights.LASTING.values()), abs_tol=0.001)


@pytest.mark.parametrize(
    "said",
    ["set the timeout to 9 just for my test", "heute bitte ohne Linter", "solo esta vez sin tests", "juste cette fois sans tests",
     "só hoje sem testes", "临时关掉缓存", "今回だけテストなしで", "la contraseña es Xk29PqLmT0Zr, siempre úsala", "密码是 abc12345，必须用它",
     "my old company always used perforce", "dans l'autre projet ils mettent toujours des tabs", "el cliente quiere el logo en rosa",
     "what if we always wrote it in rust", "na super, schon wieder ein Meeting", "the build is still running, wait a bit"],
)  # fmt: skip
def test_what_does_not_last_is_never_learned(said: str) -> None:
    """One-offs, secrets, suppositions, irony, passing states and other people's wishes, whatever else speaks for them."""
    assert memory_of(says("hello", said)) == {}


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("table names are singular in our schema", Kind.PREFERENCE), ("antes de instalar algo, pregúntame", Kind.PREFERENCE),
        ("no, the ids are ulids and not uuids", Kind.CORRECTION), ("our api gateway cuts requests after 29 seconds", Kind.FACT),
        ("we picked svelte over react because the bundle has to stay small", Kind.DECISION),
        ("on reste sur mysql, migrer ne vaut pas le coup", Kind.DECISION), ("Ana owns billing, ask her first", Kind.PERSON),
        ("账单这块归小李管，改之前先问他", Kind.PERSON), ("das Zertifikat läuft am 14.4. ab", Kind.DEADLINE),
        ("o certificado expira em 14 de abril", Kind.DEADLINE),
    ],
)  # fmt: skip
def test_a_sentence_is_of_the_kind_that_fits_it_best(said: str, kind: Kind) -> None:
    """Each kind is told from the others, in whatever language."""
    (one,) = explain([says("can you look at the parser", said)], {}, PROJECT)
    assert (one.kind, one.learned) == (kind, True)


@pytest.mark.parametrize(
    ("said", "steps"),
    [
        ("for a hotfix: branch off the last tag, cherry-pick, tag again", 3), ("1. stop the worker 2. migrate it 3. start the worker. always", 3),
        ("Release läuft so: erst Version hochziehen, dann taggen, danach auf die Pipeline warten", 3),
        ("部署顺序是先备份，再跑迁移，最后重启 worker", 3), ("デプロイの手順: まずバックアップ、次に移行、最後に再起動", 3),
    ],
)  # fmt: skip
def test_steps_that_are_how_it_is_done_become_a_skill(said: str, steps: int) -> None:
    """A lead, numbers or words of sequence make a numbered list."""
    (text,) = learned_from(says("can you look at the parser", said))
    assert f"\n{steps}. " in text
    assert f"\n{steps + 1}. " not in text


def test_by_then_is_no_step() -> None:
    """A deadline that says "by then" is a deadline."""
    files = memory_of(says("hi", "audit is a week from friday, what goes in before then must be boring"))
    assert [path.rsplit("/", 1)[-1] for path in files] == ["deadlines.md"]


def test_a_step_between_failure_and_success_is_the_fix() -> None:
    """The line names what failed and the step that was taken."""
    talk = session(
        [("user", "go"), ("call", "pier start"), ("bad", "Exit code 1\nerror: cannot open the schema")],
        [("user", "and?"), ("call", "dbtool seed"), ("ok", "seeded"), ("call", "pier start"), ("ok", "up")],
    )
    assert learned_from(talk) == [
        'If `pier start` fails with "error: cannot open the schema": run `dbtool seed` first.'
    ]


def test_a_refused_edit_is_named_by_its_file_however_it_was_told() -> None:
    """A patch in a shell call and an edit with two texts are the same act."""
    patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/Menu.storyboard\n@@\n-a\n+b\n*** End Patch\nEOF"
    edit = '{"file_path": "/srv/harbor/src/Menu.storyboard", "old_string": "a", "new_string": "b"}'
    for tool, call in (("exec_command", patch), ("Edit", edit)):
        talk = session(
            [("user", "add a menu"), ("call", call), ("bad", REFUSED)], [("user", "no. swiftui.")], tool=tool
        )
        assert learned_from(talk) == ["Swiftui (not `Edit Menu.storyboard`)."]


def test_a_failure_is_seen_behind_the_head_that_a_source_prints() -> None:
    """Codex puts its own lines before an output; what the output says still counts."""
    head = "Chunk ID: b00a10\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 25\nOutput:\n"
    talk = session([("user", "go"), ("call", "make spec-test"), ("ok", f"{head}FAIL src/a.test\nTypeError")])
    assert learned_from(talk) == []


def test_an_explanation_names_what_was_learned_and_what_nearly_was() -> None:
    """Scores are the sums of the weights shown; every learned line is there, and no other counts as learned."""
    talk = says("hi there", "logs must rotate because the disk is small", "prices are off by a cent again")
    found = explain([talk], {}, PROJECT)
    learned = dreamt(talk)[1].learned
    assert [one.text for one in found if one.learned] == [one.text for one in learned]
    assert any(not one.learned for one in found)
    for one in found:
        assert one.score == pytest.approx(sum(weight for _, weight in one.signals))
        assert (one.score >= weights.ENOUGH) is one.learned
        assert one.signal


@pytest.mark.parametrize(
    "said",
    [
        "wow, another broken pipeline, let's always retry it nine times", "toll, schon wieder rot, so machen wir das ab jetzt immer",
        "génial, encore un build rouge, continuons toujours comme ça", "太棒了，又挂了，以后都这么干吧",
        "Mara's squad always rebases before lunch", "el equipo de Nuria siempre usa Gradle", "佐藤さんのチームは必ず Gradle を使う",
        "the vendor wants all buttons purple and no dialogs", "der client will, dass alle Buttons lila sind",
        "port 9000 is taken by grafana at the moment, so the api sits on 9001", "die Datenbank läuft derzeit auf 5433",
        "Marta de ventas dice que cada página debe tener un popup", "use the fake mailer in this branch while I debug",
        "skip den linter diesmal, we just need the build", "o que aconteceria se a gente sempre comprimisse tudo",
    ],
)  # fmt: skip
def test_what_is_mocked_passing_or_another_persons_is_not_learned(said: str) -> None:
    """Praise of a failure, other people's habits and wishes, and the state of now hold for nobody here."""
    assert memory_of(says("hello", said)) == {}


@pytest.mark.parametrize(
    "said",
    [
        "currently everyone tags by hand, use `make ship` from now on", "honestly, no print statements in library code, ever",
        "our team never force pushes shared branches",
        "im Moment taggen wir von Hand, ab jetzt immer `make ship`",
    ],
)  # fmt: skip
def test_a_rule_beside_a_passing_state_is_a_rule(said: str) -> None:
    """What is said with irritation or beside the state of now still holds."""
    assert len(learned_from(says("hello", said))) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("always end lines with a semicolon in TypeScript", "scrap the semicolon rule, the formatter decides now"),
        ("the staging box is on Hetzner, in Falkenstein", "the staging box isn't on Hetzner any more, it's at OVH"),
        ("state lives in Redux, never in components", "we no longer use Redux, state lives in zustand"),
        ("La CI tourne sur Jenkins, pas sur GitHub", "On n'utilise plus Jenkins, maintenant c'est Gitea"),
        ("El CI corre en Jenkins, no en GitHub", "Ya no usamos Jenkins, ahora es Gitea"),
        ("the freeze starts on March 20", "the freeze moved to March 27"),
    ],
)  # fmt: skip
def test_what_is_over_is_told_in_many_words(before: str, after: str) -> None:
    """A later sentence that ends an older one takes its place, and names it."""
    first = memory_of(says("hi", before))
    (line,) = lines_of(memory_of(says("hi", after, name="s2", days=3), files=first))
    assert "(replaces: " in line


@pytest.mark.parametrize(
    "said",
    [
        "The steps for a hotfix are branch from the tag, cherry-pick, tag again, push.",
        "Pour ajouter une langue, crée le fichier, traduis les clés et relance l'extraction",
        "immer wenn ein Build bricht: Commit suchen, zurücknehmen und Bescheid geben",
    ],
)
def test_steps_said_in_one_breath_are_a_procedure(said: str) -> None:
    """A lead, a condition or an aim before at least three steps makes them one, without marks of a list."""
    (text,) = learned_from(says("hello", said))
    assert "\n3. " in text


def test_steps_for_the_thing_at_hand_are_an_errand() -> None:
    """What is said of this one thing is for once."""
    assert learned_from(says("hello", "to fix this, open the file, change the port, run it")) == []
