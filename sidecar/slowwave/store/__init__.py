"""DOORWAY 2: the record store, one SQLite file.

Rows that change by use live here: progress, runs, leases, audit records, episodes, the index of memory
files. Durable memory does not: losing this file loses no memory, and the cursors come back from the trailers
of the merge commits.

`database` owns the file and is the one importer of sqlite3; the other modules are one noun each, written in
plain SQL over it.
"""
