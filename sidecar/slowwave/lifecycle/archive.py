"""Archive: what is over, superseded or long unused leaves recall; a snapshot of it is kept."""

from slowwave.lifecycle.policy import DAY, Policy
from slowwave.lifecycle.standing import Standing
from slowwave.store.records import ACTIVE, EXPIRED, SUPERSEDED


def reason(record: Standing, now: int, policy: Policy) -> str:
    """Why a record is to be archived now; "" when it is not.

    Expired ones go at once, superseded ones after their days, active ones after the days of their type without
    use. A type without a number (identity) is never archived for its age.
    """
    if record.pinned:
        return ""
    if record.status == EXPIRED:
        return "expired"
    if record.status == SUPERSEDED:
        days = policy.superseded_days
        return f"superseded for {days:g} days" if now - record.status_at >= round(days * DAY) else ""
    if record.status == ACTIVE and record.type in policy.archive_days:
        days = policy.archive_days[record.type]
        return f"unused for {days:g} days" if now - record.activity >= round(days * DAY) else ""
    return ""
