"""Taking one dream back out of memory, exactly: what it added goes, what others added beside it stays.

The difference of the dream's commit is merged in reverse, as `git revert` does, and woven by whole items where
git sees a conflict only because something stands beside. A commit that a person has made of a dream's (by
amending, squashing or rebasing it) may hold their own words or another dream: of that, only the sealed items
whose evidence is this dream's go. Doorway 3, behind `publish`.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

from slowwave.memory.layout import Item, items, split_head
from slowwave.memory.objects import Commit, MergeResult, TreeEntry
from slowwave.memory.repo import MemoryRepository
from slowwave.memory.safety import IDENTITY
from slowwave.memory.weave import frame, weave, without_items

Mine = Callable[[Item], bool]
Stages = Mapping[tuple[str, int], TreeEntry]
Texts = tuple[str | None, str | None, str | None]

_OURS: Final = "{} <{}>".format(*IDENTITY)


def texts_of(repo: MemoryRepository, path: str, stages: Stages) -> Texts:
    """The three sides of a conflicted memory file: base, ours, theirs; None where a side has no file.

    All None when a side is no plain markdown file: then nothing can be woven.
    """
    entries = [stages.get((path, side)) for side in (1, 2, 3)]
    if not path.endswith(".md") or any(entry and entry.mode != "100644" for entry in entries):
        return None, None, None
    blobs = repo.read_many(entry.oid for entry in entries if entry)
    base, ours, theirs = (_text(blobs[e.oid]) if e else None for e in entries)
    return base, ours, theirs


def reverse(repo: MemoryRepository, head: str, commit: Commit, mine: Mine) -> tuple[str, tuple[str, ...]]:
    """The tree of `head` without what a commit brought, and the paths in which that cannot be told apart.

    mine   whether a sealed item of a commit that a person has rewritten is this dream's
    """
    parent = commit.parents[0]
    before = repo.tree_id(parent)
    if commit.committer != _OURS:
        before = _without_mine(repo, parent, commit.sha, mine)
    back = repo.commit_tree(before, (commit.sha,), "Take it back\n")
    merged = repo.merge(head, back)
    tree, conflicts = _woven(repo, merged)
    return _without_moved(repo, tree, commit.sha, before), conflicts


def _woven(repo: MemoryRepository, merged: MergeResult) -> tuple[str, tuple[str, ...]]:
    """The merged tree with every conflict decided that can be, and the paths of the rest."""
    stages = merged.stages or {}
    done: dict[str, TreeEntry | None] = {}
    for path in merged.conflicts:
        base, ours, theirs = texts_of(repo, path, stages)
        if base is not None and ours is None:
            done[path] = None  # the whole file is gone already
            continue
        back = theirs if theirs is not None or base is None else frame(base)
        text = weave(base, ours, back) if base is not None and ours is not None and back is not None else None
        if text is not None:
            done[path] = None if theirs is None and text == back else _stored(repo, text)
    tree = repo.edit_tree(merged.tree, done) if done else merged.tree
    return tree, tuple(path for path in merged.conflicts if path not in done)


def _without_mine(repo: MemoryRepository, parent: str, commit: str, mine: Mine) -> str:
    """The tree of a rewritten commit without the dream's own items; a file that was only those is gone."""
    edits: dict[str, TreeEntry | None] = {}
    for path, (old, new) in _markdown(repo, parent, commit).items():
        added = _added(old or "", new or "")
        gone = [item.raw for item in added if item.untouched and mine(item)]
        if new is not None and gone:
            rest = without_items(new, gone)
            edits[path] = None if old is None and rest == frame(rest) else _stored(repo, rest)
    return repo.edit_tree(repo.tree_id(commit), edits)


def _without_moved(repo: MemoryRepository, tree: str, commit: str, before: str) -> str:
    """The tree without the dream's sealed items that a person has moved to another place of their file."""
    edits: dict[str, TreeEntry | None] = {}
    now = repo.tree(tree)
    for path, (old, new) in _markdown(repo, before, commit).items():
        added = [item.raw for item in _added(old or "", new or "") if item.untouched]
        if not added or path not in now or not now[path].is_plain:
            continue
        text = _text(repo.read_many([now[path].oid])[now[path].oid])
        over = Counter(_raw(text)) - Counter(_raw(old or ""))
        gone = [raw for raw in added if over[raw] > 0]
        if gone:
            edits[path] = _stored(repo, without_items(text, gone))
    return repo.edit_tree(tree, edits) if edits else tree


def _markdown(repo: MemoryRepository, old: str, new: str) -> dict[str, tuple[str | None, str | None]]:
    """The memory files that differ between two trees, with both texts."""
    plain = [
        change
        for change in repo.changes(old, new)
        if change.path.endswith(".md") and all(e.is_plain for e in (change.old, change.new) if e)
    ]
    blobs = repo.read_many(e.oid for change in plain for e in (change.old, change.new) if e)
    return {
        c.path: (_text(blobs[c.old.oid]) if c.old else None, _text(blobs[c.new.oid]) if c.new else None)
        for c in plain
    }


def _added(old: str, new: str) -> list[Item]:
    """The items of a text that an older one does not have."""
    before = Counter(_raw(old))
    found = []
    for item in items(split_head(new)[1]):
        before[item.raw] -= 1
        if before[item.raw] < 0:
            found.append(item)
    return found


def _raw(text: str) -> list[str]:
    return [item.raw for item in items(split_head(text)[1])]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _stored(repo: MemoryRepository, text: str) -> TreeEntry:
    return TreeEntry("100644", repo.write_blob(text.encode("utf-8", "surrogateescape")))
