"""Dates as people say them become the dates they mean, or none."""

from datetime import date

import pytest

from slowwave.dream import dates

SAID = date(2026, 3, 4)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("by may 20", ["2026-05-20"]),
        ("by January 5th", ["2027-01-05"]),
        ("on the 13th of july", ["2026-07-13"]),
        ("bis zum 16.4. fertig", ["2026-04-16"]),
        ("para el 3 de julio", ["2026-07-03"]),
        ("até o fim do mês", ["2026-03-31"]),
        ("by the end of the month", ["2026-03-31"]),
        ("4月30日前", ["2026-04-30"]),
        ("次は 6/9", ["2026-06-09"]),
        ("this friday", ["2026-03-06"]),
        ("by wednesday", ["2026-03-11"]),
        ("due 2026-12-01", ["2026-12-01"]),
        ("in 3 days", ["2026-03-07"]),
        ("next friday", ["2026-03-13"]),
        ("the 20th", ["2026-03-20"]),
        ("a week from friday", ["2026-03-13"]),
        ("by end of june", ["2026-06-30"]),
        ("bis Freitag", ["2026-03-06"]),
        ("am übernächsten Montag", ["2026-03-16"]),
        ("dentro de dos semanas", ["2026-03-18"]),
        ("vence dia 20 deste mês", ["2026-03-20"]),
        ("avant vendredi", ["2026-03-06"]),
        ("下周五之前", ["2026-03-13"]),
        ("来週の金曜まで", ["2026-03-13"]),
        ("来月3日が締切", ["2026-04-03"]),
        ("last friday", []),
        ("6/9 of them", []),
        ("february 31", []),
        ("version 1.2.3 at 10:30", []),
    ],
)
def test_a_date_is_made_absolute(text: str, meant: list[str]) -> None:
    """Without a year it is the next one after the day it was said; what can mean two days is none."""
    assert [d.isoformat() for d in dates.find(text, SAID)] == meant
