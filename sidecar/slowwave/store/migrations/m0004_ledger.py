"""What model calls need: the ledger of calls, and the doors shut after failures."""

STATEMENTS: tuple[str, ...] = (
    # One question to a model. Entered before it is sent; `usd` and the counts stay empty until the answer is known.
    """CREATE TABLE calls (
        id INTEGER PRIMARY KEY,
        run TEXT NOT NULL,
        model TEXT NOT NULL,
        endpoint TEXT NOT NULL,
        purpose TEXT NOT NULL,
        at REAL NOT NULL,
        state TEXT NOT NULL,
        failure TEXT NOT NULL DEFAULT '',
        expected_tokens INTEGER NOT NULL,
        expected_usd REAL NOT NULL,
        input INTEGER,
        output INTEGER,
        cache_read INTEGER,
        cache_write INTEGER,
        usd REAL
    )""",
    "CREATE INDEX calls_by_time ON calls(at)",
    "CREATE INDEX calls_by_run ON calls(run)",
    # A door is one model at one endpoint with one key; another key or model is another door.
    """CREATE TABLE breakers (
        door TEXT NOT NULL,
        kind TEXT NOT NULL,
        failures INTEGER NOT NULL,
        until REAL NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (door, kind)
    ) WITHOUT ROWID""",
)
