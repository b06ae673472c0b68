"""Retention: a dream's redacted copies of what it read go when their time is over.

They are kept at all because agents delete their own transcripts (by default after thirty days), and a person
may ask later what a memory was made of.
"""

import shutil

from slowwave.dream.workshop import Workshop

_DAY = 86_400.0


def sweep(shop: Workshop) -> tuple[str, ...]:
    """Remove the run folders older than `retention.snapshot_days`; returns their names."""
    limit = shop.clock() - shop.settings.retention.snapshot_days * _DAY
    old = [f for f in shop.homes.runs.iterdir() if f.is_dir() and f.stat().st_mtime < limit]
    for folder in old:
        shutil.rmtree(folder, ignore_errors=True)
    return tuple(f.name for f in old)
