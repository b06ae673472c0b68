"""DOORWAY 1, read only: the transcript files coding agents already write.

The room turns bytes into turns: `watch` wakes it, `discover` says which files there are, `tail` gives whole
new lines, `decode` makes rows of them, `formats` makes entries of rows, `turns` assembles turns, `redact`
takes secrets out, `reader` joins all of that for one file, and `snapshot` freezes a range of it.

Three shapes of sessions come through the same reader: rows appended to a file are read as they grow; a state
(a file written anew, a patch log, rows of another program's database) is loaded whole by `state`, with
`formats.documents` and `foreign_sqlite` for the bytes. `listing` counts sessions, copied history apart.

Nothing here ever writes below an agent's folder. Of the house it imports `model` and `errors` only.
"""
