"""The loss window: what the dreams of the last days took away together.

One dream that removes a little is harmless; one every hour empties a memory in a week, which is how the best
documented disasters of this field went. The counts come from the reports in the ledger. Engine 1.
"""

from datetime import UTC, datetime, timedelta

from slowwave.config import DreamSettings
from slowwave.dream.validate import Limits, WindowLoss
from slowwave.dream.workshop import Workshop
from slowwave.store import runs

_MOST_RUNS = 5000


_FLOOR, _PERSUADABLE_FLOOR = 4, 1
"""Entries that may always go. A reflector that can be talked into something gets nearly none: it would find that out."""


def limits(settings: DreamSettings, *, persuadable: bool) -> Limits:
    """The loss caps as the person set them, for a reflector of this kind."""
    return Limits(
        loss_share=settings.loss_percent / 100,
        window_share=settings.window_loss_percent / 100,
        loss_floor=_PERSUADABLE_FLOOR if persuadable else _FLOOR,
        persuadable=persuadable,
    )


def window_loss(shop: Workshop) -> WindowLoss:
    """Entries removed by the dreams that landed within `dream.window_days`, of the most there ever were."""
    now = datetime.fromtimestamp(shop.clock(), UTC)
    since = (now - timedelta(days=shop.settings.dream.window_days)).isoformat()
    landed = [
        run.report.get("loss", {})
        for run in runs.latest(shop.db, statuses=("merged",), limit=_MOST_RUNS)
        if run.created_at >= since
    ]
    removed = sum(int(each.get("removed", 0)) for each in landed)
    return WindowLoss(removed, max((int(each.get("before", 0)) for each in landed), default=0))
