"""Retention: a dream's redacted copies of what it read go when their time is over.

They are kept at all because agents delete their own transcripts (by default after thirty days), and a person
may ask later what a memory was made of.
"""

import contextlib
import shutil

from slowwave.dream.workshop import Workshop

_DAY = 86_400.0


def sweep(shop: Workshop) -> tuple[str, ...]:
    """Remove the run folders older than `retention.snapshot_days`; returns their names.

    What cannot be looked at or removed now waits for the next time: tidying up never fails a dream.
    """
    limit = shop.clock() - shop.settings.retention.snapshot_days * _DAY
    gone: list[str] = []
    with contextlib.suppress(OSError):
        for folder in list(shop.homes.runs.iterdir()):
            with contextlib.suppress(OSError):
                if folder.is_dir() and folder.stat().st_mtime < limit:
                    shutil.rmtree(folder, ignore_errors=True)
                    gone.append(folder.name)
    return tuple(gone)
