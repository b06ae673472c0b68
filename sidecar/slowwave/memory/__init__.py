"""Doorway 3: memory as markdown in a git repository (MemFS).

    beneath   the descriptor guard: acts that cannot leave their root
    names     which file names memory may have
    scope     what a worker may touch
    repo      objects and references; the only importer of GitPython
    shape     making a repository, and checking one
    worktree  the folder a reflection works in
    importer  that folder becomes a commit
    publish   that commit joins memory, or waits; undo
    weave     two sides that changed beside each other are joined
    reverse   one dream is taken back out, exactly
    line_ends files a checkout holds with CRLF
    records   what commit messages say about dreams
    landing   the steps that survive a kill
    safety    what every git call runs with
    objects   what git stores, as values
    disk      what the disk says, in a person's words
    stale     which of git's lock files a dead process left

Nothing is imported here: each user names the room it needs, and start-up stays cheap.
"""
