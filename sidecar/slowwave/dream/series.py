"""A series of dreams: one project after another, until one is stopped or finds another at it."""

from collections.abc import Callable, Sequence

from slowwave.errors import BusyError, InterruptedDreamError
from slowwave.model import Trigger
from slowwave.report import DreamReport, Failed


def each(
    numbers: Sequence[int], dream_one: Callable[[int], DreamReport], slug: Callable[[int], str]
) -> list[DreamReport]:
    """The report of every project's dream, in order.

    Being stopped or finding another at it ends the series: it is raised when nothing was done before, and else
    is the last report, so that what was done is told all the same. `slug` names a project.
    """
    reports: list[DreamReport] = []
    for number in numbers:
        try:
            reports.append(dream_one(number))
        except (BusyError, InterruptedDreamError) as error:
            if not reports:
                raise
            ended = Failed("; ".join(error.problems), error.exit_code)
            return [*reports, DreamReport("", ended, Trigger.MANUAL, reports[0].reflector, slug(number))]
    return reports
