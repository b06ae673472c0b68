"""What the walk of the data needs: files, sessions, turns, marks, runs, leases, episodes, audit, passages."""

STATEMENTS: tuple[str, ...] = (
    # The repository a session worked in.
    """CREATE TABLE projects (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,
        slug TEXT NOT NULL UNIQUE,
        root TEXT NOT NULL,
        created_at TEXT NOT NULL
    )""",
    # One transcript file and how far it has been read. `baseline` is the size it had when slowwave first met
    # it: turns that end before it are history, read only by a backfill.
    """CREATE TABLE files (
        path TEXT PRIMARY KEY,
        source TEXT NOT NULL,
        session INTEGER REFERENCES sessions(id),
        kind TEXT NOT NULL,
        size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        baseline INTEGER NOT NULL DEFAULT 0,
        read INTEGER NOT NULL DEFAULT 0,
        restart_offset INTEGER NOT NULL DEFAULT 0,
        restart_turn INTEGER NOT NULL DEFAULT 1,
        mark TEXT NOT NULL DEFAULT '',
        damaged INTEGER NOT NULL DEFAULT 0,
        first_damage TEXT NOT NULL DEFAULT '',
        vanished_at TEXT,
        problem TEXT NOT NULL DEFAULT ''
    ) WITHOUT ROWID""",
    """CREATE TABLE sessions (
        id INTEGER PRIMARY KEY,
        source TEXT NOT NULL,
        session_id TEXT NOT NULL,
        project INTEGER NOT NULL REFERENCES projects(id),
        path TEXT NOT NULL,
        cwd TEXT NOT NULL,
        version TEXT NOT NULL DEFAULT '',
        git_branch TEXT NOT NULL DEFAULT '',
        open_steps INTEGER NOT NULL DEFAULT 0,
        turn_open INTEGER NOT NULL DEFAULT 0,
        last_growth REAL NOT NULL DEFAULT 0,
        UNIQUE (source, session_id)
    )""",
    "CREATE INDEX sessions_by_project ON sessions(project)",
    # One closed turn. `state`: new, baseline, inherited, or the fate of the run that read it.
    """CREATE TABLE turns (
        session INTEGER NOT NULL REFERENCES sessions(id),
        number INTEGER NOT NULL,
        status TEXT NOT NULL,
        steps INTEGER NOT NULL,
        text_rows INTEGER NOT NULL,
        start INTEGER NOT NULL,
        end INTEGER NOT NULL,
        ended_at TEXT,
        state TEXT NOT NULL DEFAULT 'new',
        run TEXT,
        PRIMARY KEY (session, number)
    ) WITHOUT ROWID""",
    "CREATE INDEX turns_new ON turns(session) WHERE state = 'new'",
    "CREATE INDEX turns_by_run ON turns(run) WHERE run IS NOT NULL",
    # The native identity of every prompt and step, so that copied history counts once.
    """CREATE TABLE blocks (
        source TEXT NOT NULL,
        native_id TEXT NOT NULL,
        session INTEGER NOT NULL REFERENCES sessions(id),
        PRIMARY KEY (source, native_id)
    ) WITHOUT ROWID""",
    # Compaction marks and context pressure, durable until a dream's outcome clears them.
    """CREATE TABLE marks (
        session INTEGER NOT NULL REFERENCES sessions(id),
        native_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        turn INTEGER NOT NULL,
        detail TEXT NOT NULL DEFAULT '',
        created_at TEXT NOT NULL,
        cleared_by TEXT,
        PRIMARY KEY (session, native_id)
    ) WITHOUT ROWID""",
    "CREATE INDEX marks_standing ON marks(session) WHERE cleared_by IS NULL",
    """CREATE TABLE episodes (
        session INTEGER NOT NULL,
        turn INTEGER NOT NULL,
        asked TEXT NOT NULL,
        done TEXT NOT NULL,
        outcome TEXT NOT NULL,
        files TEXT NOT NULL DEFAULT '[]',
        commands TEXT NOT NULL DEFAULT '[]',
        occurred_at TEXT,
        created_at TEXT NOT NULL,
        PRIMARY KEY (session, turn),
        FOREIGN KEY (session, turn) REFERENCES turns(session, number)
    ) WITHOUT ROWID""",
    # One dream. `status`: claimed, running, then merged, no_changes, pending, discarded, undone, failed,
    # interrupted. `pid` and `boot` name the process that answers for it until it holds the lease.
    """CREATE TABLE runs (
        id TEXT PRIMARY KEY,
        project INTEGER NOT NULL REFERENCES projects(id),
        trigger TEXT NOT NULL,
        reflector TEXT NOT NULL,
        status TEXT NOT NULL,
        step TEXT NOT NULL DEFAULT '',
        base TEXT NOT NULL DEFAULT '',
        reflection TEXT NOT NULL DEFAULT '',
        "commit" TEXT NOT NULL DEFAULT '',
        reason TEXT NOT NULL DEFAULT '',
        request TEXT NOT NULL DEFAULT '{}',
        pid INTEGER NOT NULL,
        boot TEXT NOT NULL,
        report TEXT NOT NULL DEFAULT '{}',
        created_at TEXT NOT NULL,
        finished_at TEXT
    )""",
    "CREATE INDEX runs_by_project ON runs(project, created_at)",
    # The turns each run read (or reserves, while it is pending).
    """CREATE TABLE ranges (
        run TEXT NOT NULL REFERENCES runs(id),
        source TEXT NOT NULL,
        session_id TEXT NOT NULL,
        from_turn INTEGER NOT NULL,
        to_turn INTEGER NOT NULL,
        digest TEXT NOT NULL,
        PRIMARY KEY (run, source, session_id, from_turn)
    ) WITHOUT ROWID""",
    "CREATE INDEX ranges_by_session ON ranges(source, session_id)",
    """CREATE TABLE leases (
        name TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        pid INTEGER NOT NULL,
        boot TEXT NOT NULL,
        purpose TEXT NOT NULL,
        acquired_at REAL NOT NULL,
        heartbeat_at REAL NOT NULL,
        expires_at REAL NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE audit (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at TEXT NOT NULL,
        actor TEXT NOT NULL,
        action TEXT NOT NULL,
        subject TEXT NOT NULL,
        reason TEXT NOT NULL DEFAULT '',
        detail TEXT NOT NULL DEFAULT '{}'
    )""",
    # Append-only by construction, not by good manners.
    """CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit
        BEGIN SELECT RAISE(ABORT, 'audit records are append-only'); END""",
    """CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit
        BEGIN SELECT RAISE(ABORT, 'audit records are append-only'); END""",
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    # The index of memory files: one row per item or paragraph; rebuilt from the files at any time.
    """CREATE TABLE passages (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL,
        heading TEXT NOT NULL,
        type TEXT NOT NULL,
        text TEXT NOT NULL,
        source TEXT NOT NULL,
        updated_at TEXT NOT NULL
    )""",
    "CREATE INDEX passages_by_path ON passages(path)",
    """CREATE TABLE indexed_files (
        path TEXT PRIMARY KEY,
        size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL
    ) WITHOUT ROWID""",
    "CREATE VIRTUAL TABLE passages_text USING fts5(words, tokenize = 'porter unicode61')",
)
