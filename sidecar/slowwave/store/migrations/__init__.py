"""The shape of the store, as named steps in order.

Each step is recorded in the transaction that applies it (the practice of sqlite-utils). A step that has
been released is never edited: add another.
"""

from slowwave.store.migrations import (
    m0001_walk,
    m0002_recall_elsewhere,
    m0003_read_in_part,
    m0004_ledger,
    m0005_records,
    m0006_changed_records,
)

Steps = tuple[tuple[str, tuple[str, ...]], ...]

MIGRATIONS: Steps = (
    ("0001_walk", m0001_walk.STATEMENTS),
    ("0002_recall_elsewhere", m0002_recall_elsewhere.STATEMENTS),
    ("0003_read_in_part", m0003_read_in_part.STATEMENTS),
    ("0004_ledger", m0004_ledger.STATEMENTS),
    ("0005_records", m0005_records.STATEMENTS),
    ("0006_changed_records", m0006_changed_records.STATEMENTS),
)
