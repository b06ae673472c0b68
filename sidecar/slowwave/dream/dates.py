"""Dates as people say them, made absolute.

"By May 20" means the next one after the day it was said; "this friday" the coming one; "the end of the month" its
last day. A date that cannot be told for certain is no date. Pure; engine 1, imports nothing of the house.
"""

import calendar
import re
from collections.abc import Iterable
from datetime import date, timedelta

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january januar enero janvier janeiro jan ene janv",
            "february februar febrero février fevereiro feb févr fev",
            "march märz marzo mars março mar",
            "april abril avril apr abr avr",
            "may mai mayo maio",
            "june juni junio juin junho jun",
            "july juli julio juillet julho jul juil",
            "august agosto août aug ago",
            "september septiembre septembre setembro sep sept set",
            "october oktober octubre octobre outubro oct okt out",
            "november noviembre novembre novembro nov",
            "december dezember diciembre décembre dezembro dec dez dic déc",
        ),
        start=1,
    )
    for name in names.split()
}
_WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            "monday montag lunes lundi segunda",
            "tuesday dienstag martes mardi terça",
            "wednesday mittwoch miércoles mercredi quarta",
            "thursday donnerstag jueves jeudi quinta",
            "friday freitag viernes vendredi sexta",
            "saturday samstag sábado samedi",
            "sunday sonntag domingo dimanche",
        )
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = "|".join(sorted(_WEEKDAYS, key=len, reverse=True))
_ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_MONTH_DAY = re.compile(
    rf"\b({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (\d{{4}}))?(?!:)", re.IGNORECASE
)
_DAY_MONTH = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th|\.|º)? (?:of |de |du )?({_MONTH})\b(?:,? (?:de )?(\d{{4}}))?",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"\b(\d{1,2})\.(\d{1,2})\.(\d{4})?(?![\d.])")
_ASIAN = re.compile(r"(?:(\d{4})年)?(\d{1,2})月(\d{1,2})[日号]")
_SLASHED = re.compile(r"(?<![\d/.-])(\d{1,2})/(\d{1,2})(?![\d/])")
_WEEKDAY = re.compile(
    rf"\b(next |this |am |el |este |ce |cette |on |by |until |till )({_DAY})\b", re.IGNORECASE
)
_REJECTED = re.compile(rf"\b({_DAY}) (?:que viene|next week) no,?", re.IGNORECASE)
_MONTH_END = re.compile(
    r"\b(end of (the|this) month|ende des monats|monatsende|fin de mes|fin du mois|fi[mn] do mês)\b|月底|月末",
    re.IGNORECASE,
)
_IN_SPAN = re.compile(r"\bin (\d{1,2}|two|three|four) (days?|weeks?)\b", re.IGNORECASE)
_NUMBERS = {"two": 2, "three": 3, "four": 4}


def find(text: str, said: date) -> tuple[date, ...]:
    """The dates a sentence names, absolute, in the order of certainty; empty when it names none."""
    text = _REJECTED.sub(" ", text)
    found: list[date] = []
    for reading in (_iso, _month_day, _day_month, _dotted, _asian, _month_end, _weekday, _span):
        for one in reading(text, said):
            if one not in found:
                found.append(one)
    return tuple(found)


def _iso(text: str, _: date) -> list[date]:
    return _valid((int(y), int(m), int(d)) for y, m, d in _ISO.findall(text))


def _month_day(text: str, said: date) -> list[date]:
    return _next(((y, _MONTHS[m.lower()], int(d)) for m, d, y in _MONTH_DAY.findall(text)), said)


def _day_month(text: str, said: date) -> list[date]:
    return _next(((y, _MONTHS[m.lower()], int(d)) for d, m, y in _DAY_MONTH.findall(text)), said)


def _dotted(text: str, said: date) -> list[date]:
    return _next(((y, int(m), int(d)) for d, m, y in _DOTTED.findall(text)), said)


def _asian(text: str, said: date) -> list[date]:
    found = _next(((y, int(m), int(d)) for y, m, d in _ASIAN.findall(text)), said)
    if re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", text):  # month first; elsewhere 6/9 is two different days
        found += _next((("", int(m), int(d)) for m, d in _SLASHED.findall(text)), said)
    return found


def _month_end(text: str, said: date) -> list[date]:
    if not _MONTH_END.search(text):
        return []
    return [date(said.year, said.month, calendar.monthrange(said.year, said.month)[1])]


def _weekday(text: str, said: date) -> list[date]:
    found = []
    for lead, name in _WEEKDAY.findall(text):
        if lead.strip().lower() == "next":
            continue  # the coming one for some, the one after for others
        found.append(said + timedelta(days=(_WEEKDAYS[name.lower()] - said.weekday()) % 7 or 7))
    return found


def _span(text: str, said: date) -> list[date]:
    found = []
    for amount, unit in _IN_SPAN.findall(text):
        count = _NUMBERS.get(amount.lower()) or int(amount)
        if unit.lower().startswith("day"):
            found.append(said + timedelta(days=count))
    return found


def _next(parts: Iterable[tuple[str, int, int]], said: date) -> list[date]:
    """Dates without a year are the next after the day they were said."""
    found = []
    for year, month, day in parts:
        guesses = [int(year)] if year else [said.year, said.year + 1]
        valid = _valid((y, month, day) for y in guesses)
        found += [one for one in valid if year or one >= said][:1]
    return found


def _valid(parts: Iterable[tuple[int, int, int]]) -> list[date]:
    found = []
    for year, month, day in parts:
        try:
            found.append(date(year, month, day))
        except ValueError:
            continue
    return found
