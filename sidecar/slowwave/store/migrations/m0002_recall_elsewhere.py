"""The recall index has a file of its own: what the store held of it goes."""

STATEMENTS: tuple[str, ...] = (
    "DROP TABLE passages_text",
    "DROP TABLE passages",
    "DROP TABLE indexed_files",
)
