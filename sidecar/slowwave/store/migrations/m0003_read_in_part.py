"""A turn may be read before it goes on: how many of its steps a dream has read, and how many a range holds."""

STATEMENTS: tuple[str, ...] = (
    # Steps of this turn that a settled dream has read while the turn had no end; NULL when there was an end.
    "ALTER TABLE turns ADD COLUMN read_steps INTEGER",
    # Steps of the last turn of this range, when it had no end as it was read.
    "ALTER TABLE ranges ADD COLUMN unfinished INTEGER",
)
