"""Which rows of records have changed, in what order: whoever keeps a copy (recall does) asks for what is newer."""

_NOTE = (
    "INSERT INTO changed_records (record, seq)"
    " VALUES ({}.id, (SELECT coalesce(max(seq), 0) + 1 FROM changed_records))"
    " ON CONFLICT (record) DO UPDATE SET seq = excluded.seq"
)

STATEMENTS: tuple[str, ...] = (
    "CREATE TABLE changed_records (record TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE INDEX changed_records_by_seq ON changed_records(seq)",
    # Records with a memory file are found by their file.
    "INSERT INTO changed_records (record, seq) SELECT id, n FROM records WHERE file = ''",
    f"""CREATE TRIGGER records_added AFTER INSERT ON records WHEN NEW.file = ''
        BEGIN {_NOTE.format("NEW")}; END""",
    f"""CREATE TRIGGER records_changed
        AFTER UPDATE OF content, status, importance, confidence, path, scope, last_accessed_at ON records
        WHEN NEW.file = '' OR OLD.file = '' BEGIN {_NOTE.format("NEW")}; END""",
    f"""CREATE TRIGGER records_removed AFTER DELETE ON records WHEN OLD.file = ''
        BEGIN {_NOTE.format("OLD")}; END""",
)
