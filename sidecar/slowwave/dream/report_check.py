"""What a reflector reports against what it did, and what it wrote around its lines.

The report ends in the commit message, the log and the person's eyes, so a report that leaves something out, or claims
something that is not there, is looked at. Pure; engine 1.
"""

from collections.abc import Iterator, Mapping, Sequence

from slowwave.memory import layout
from slowwave.model import Learned

_PLAIN_KEYS = frozenset({"name", "description", "type", "created", "updated"})
_LONGEST_DESCRIPTION = 300
_OWN_MARKS = ("pinned", "read_only")


def unfounded(learned: Sequence[Learned], after: Mapping[str, str]) -> Iterator[str]:
    """Claims that memory does not bear out.

    A claim that a later batch of the same dream has overtaken (it names the same file) is no contradiction.
    """
    stands = {path: {_plain(i.text) for i in _items(text)} for path, text in after.items()}
    for number, claim in enumerate(learned):
        there = _plain(claim.text) in stands.get(claim.path, set())
        overtaken = any(later.path == claim.path for later in learned[number + 1 :])
        if there == (claim.action == "removed") and not overtaken:
            says = "removed and is still there" if there else f"{claim.action} and is not there"
            yield f"{claim.path}: {claim.text[:80]!r} is reported as {says}"


def unreported(
    learned: Sequence[Learned], before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[str]:
    """New lines that no claim speaks of. A line that stood in another file was moved, and is not new."""
    claimed = {(c.path, _plain(c.text)) for c in learned}
    known = {_plain(item.text) for text in before.values() for item in _items(text)}
    for path, text in sorted(after.items()):
        for line in sorted({_plain(i.text) for i in _items(text)} - known):
            if (path, line) not in claimed:
                yield f"{path}: {line[:80]!r} was written and not reported"


def _items(text: str) -> tuple[layout.Item, ...]:
    return layout.items(layout.parse("", text).body)


def _plain(text: str) -> str:
    return " ".join(text.split())


# ---------------------------------------------------------------------- around the lines
def surroundings(path: str, before: str, after: str) -> Iterator[str]:
    """The new texts of a file that are no lines: its name, its description, its headings."""
    if not before:
        yield path.rsplit("/", 1)[-1].removesuffix(".md").replace("-", " ").replace("_", " ")
    old, new = layout.parse(path, before), layout.parse(path, after)
    for key, value in new.meta.items():
        if old.meta.get(key) != value:
            yield str(value)
    known = set(old.body.split("\n"))
    yield from (
        line.lstrip("# ") for line in new.body.split("\n") if line.startswith("#") and line not in known
    )


def marks(path: str, before: str, after: str) -> Iterator[str]:
    """New things in a file that a reflector has no business with."""
    old, new = layout.parse(path, before), layout.parse(path, after)
    changed = {key for key, value in new.meta.items() if old.meta.get(key) != value}
    for key in sorted(changed - _PLAIN_KEYS):
        yield f"{path}: sets {key}" + (", which is the person's to set" if key in _OWN_MARKS else "")
    if "description" in changed and len(str(new.meta["description"])) > _LONGEST_DESCRIPTION:
        yield f"{path}: the description is longer than {_LONGEST_DESCRIPTION} characters"
    if new.body.count("<!--") > old.body.count("<!--"):
        yield f"{path}: a comment"
