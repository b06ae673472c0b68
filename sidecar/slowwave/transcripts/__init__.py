"""DOORWAY 1, read only: the transcript files coding agents already write.

The room turns bytes into turns: `watch` wakes it, `discover` says which files there are, `tail` gives whole
new lines, `decode` makes rows of them, `formats` makes entries of rows, `turns` assembles turns, `redact`
takes secrets out, `reader` joins all of that for one file, and `snapshot` freezes a range of it.

Nothing here ever writes below an agent's folder. Of the house it imports `model` and `errors` only.
"""
