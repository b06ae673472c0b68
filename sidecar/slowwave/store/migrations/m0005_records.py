"""Memory records: what is remembered, with its status, its versions, its archive and the passes over it.

Times are whole microseconds since 1970, UTC, so that a boundary is a comparison of integers.
"""

_US = "CAST(round((julianday({}) - 2440587.5) * 86400.0) * 1000000 AS INTEGER)"

STATEMENTS: tuple[str, ...] = (
    # One memory. `file` is the memory file that holds its content ("" for rows that live here alone),
    # `pattern` groups equal episodes for promotion, `anchor_at` is the last act that counts as use though it
    # changed no content (restore, unpin), `decayed_to` is how far decay has been taken.
    """CREATE TABLE records (
        n INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        type TEXT NOT NULL CHECK (type IN ('working', 'episodic', 'semantic', 'procedural', 'identity')),
        status TEXT NOT NULL DEFAULT 'active'
            CHECK (status IN ('active', 'superseded', 'expired', 'archived')),
        owner TEXT NOT NULL DEFAULT '',
        bucket TEXT NOT NULL DEFAULT '',
        scope TEXT NOT NULL DEFAULT '',
        team TEXT NOT NULL DEFAULT '',
        session TEXT NOT NULL DEFAULT '',
        path TEXT NOT NULL DEFAULT '',
        file TEXT NOT NULL DEFAULT '',
        content TEXT NOT NULL,
        importance REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
        confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
        semantic_key TEXT NOT NULL DEFAULT '',
        promotion_key TEXT NOT NULL DEFAULT '',
        pattern TEXT NOT NULL DEFAULT '',
        metadata TEXT NOT NULL DEFAULT '{}',
        instance TEXT NOT NULL DEFAULT '',
        occurred_from INTEGER,
        occurred_at INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        last_accessed_at INTEGER,
        anchor_at INTEGER,
        expires_at INTEGER,
        decayed_to INTEGER,
        status_at INTEGER NOT NULL,
        superseded_by TEXT NOT NULL DEFAULT '',
        pinned INTEGER NOT NULL DEFAULT 0,
        revision INTEGER NOT NULL DEFAULT 1
    )""",
    "CREATE INDEX records_by_pattern ON records(pattern) WHERE type = 'episodic' AND status = 'active'",
    "CREATE INDEX records_by_time ON records(occurred_at) WHERE type = 'episodic' AND status = 'active'",
    "CREATE INDEX records_by_key ON records(semantic_key) WHERE semantic_key <> ''",
    "CREATE INDEX records_by_file ON records(file) WHERE file <> ''",
    # Status moves along these arrows only, whoever writes.
    """CREATE TRIGGER records_arrows BEFORE UPDATE OF status ON records
        WHEN NEW.status <> OLD.status AND OLD.status || '>' || NEW.status NOT IN (
            'active>superseded', 'active>expired', 'active>archived',
            'superseded>archived', 'expired>archived', 'archived>active')
        BEGIN SELECT RAISE(ABORT, 'a record cannot move from this status to that one'); END""",
    # Which records a record was made of.
    """CREATE TABLE lineage (
        record TEXT NOT NULL,
        source TEXT NOT NULL,
        PRIMARY KEY (record, source)
    ) WITHOUT ROWID""",
    "CREATE INDEX lineage_by_source ON lineage(source)",
    # Ids of records that were deleted for good: lineage still resolves, nothing of the content is left.
    "CREATE TABLE tombstones (id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID",
    # A record as it was before a change; `archives` has it as it was when it was archived, with the whole text
    # of its memory file.
    """CREATE TABLE versions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        record TEXT NOT NULL,
        at INTEGER NOT NULL,
        action TEXT NOT NULL,
        audit INTEGER,
        snapshot TEXT NOT NULL
    )""",
    "CREATE INDEX versions_by_record ON versions(record)",
    """CREATE TABLE archives (
        record TEXT PRIMARY KEY,
        at INTEGER NOT NULL,
        reason TEXT NOT NULL,
        snapshot TEXT NOT NULL,
        text TEXT NOT NULL DEFAULT ''
    ) WITHOUT ROWID""",
    # One maintenance pass and, until it is applied, the writes it has planned. `base` is memory's commit before.
    """CREATE TABLE passes (
        id TEXT PRIMARY KEY,
        at INTEGER NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('begun', 'done', 'abandoned')),
        base TEXT NOT NULL DEFAULT '',
        made TEXT NOT NULL DEFAULT '{}',
        finished_at INTEGER
    ) WITHOUT ROWID""",
    """CREATE TABLE pass_changes (
        pass TEXT NOT NULL,
        action TEXT NOT NULL,
        ordinal INTEGER NOT NULL,
        record TEXT NOT NULL,
        revision INTEGER NOT NULL,
        status TEXT NOT NULL,
        importance REAL NOT NULL,
        decayed_to INTEGER,
        superseded_by TEXT NOT NULL,
        reason TEXT NOT NULL,
        PRIMARY KEY (pass, action, ordinal)
    ) WITHOUT ROWID""",
    # How each memory file looked when its row was last brought up to date.
    """CREATE TABLE filed (
        file TEXT PRIMARY KEY,
        size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        importance REAL,
        record TEXT NOT NULL
    ) WITHOUT ROWID""",
    # The audit of one subject is asked for by `explain`.
    "CREATE INDEX audit_by_subject ON audit(subject)",
    # Episodes were a table of their own.
    f"""INSERT INTO records (id, type, scope, session, content, importance, confidence, metadata,
            occurred_at, created_at, updated_at, status_at)
        SELECT 'e-' || s.source || '-' || s.session_id || '-' || e.turn, 'episodic', p.slug, s.session_id,
            trim('Asked: ' || e.asked || char(10) || 'Done: ' || e.done || char(10) || 'Outcome: ' || e.outcome),
            0.5, CASE e.outcome WHEN 'completed' THEN 0.7 ELSE 0.5 END,
            json_object('source', s.source, 'turn', e.turn, 'outcome', e.outcome,
                'files', json(e.files), 'commands', json(e.commands)),
            {_US.format("coalesce(e.occurred_at, e.created_at)")}, {_US.format("e.created_at")},
            {_US.format("e.created_at")}, {_US.format("e.created_at")}
        FROM episodes e JOIN sessions s ON s.id = e.session JOIN projects p ON p.id = s.project""",
    "DROP TABLE episodes",
)
