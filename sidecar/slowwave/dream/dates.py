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
_WEEKDAY = re.compile(rf"\b({_DAY})(?:-feira)?\b", re.IGNORECASE)
_NOT_THAT_WEEKDAY = re.compile(
    r"(?:last|every|each|since|letzten|jeden|seit|cada|todos? (?:los|as)?|chaque|depuis|dernier|toda|desde) $",
    re.IGNORECASE,
)
_AFTER_NEXT = re.compile(
    r"übernächste[nr]? $|(?:a|one) week from $|week after next $|^ (?:en quinze|week after next)\b",
    re.IGNORECASE,
)
_NEXT_WEEK = re.compile(
    r"(?:next|nächste[nrs]?|próxim[oa]|semaine prochaine) $|nächste woche(?: am)? $|(?:próxima semana|semana que (?:viene|vem)),?(?: el| na| no)? $"
    r"|^,? (?:of )?(?:next week|nächster woche)|^ (?:de |da )?(?:la )?(?:semana que (?:viene|vem)|próxima semana)|^ (?:prochaine?|que (?:viene|vem)|de la semaine prochaine)\b",
    re.IGNORECASE,
)
_ASIAN_WEEKDAY = re.compile(
    r"(下下|下|这|本)?(?:个)?(?:周|星期|礼拜)([一二三四五六日天])|(再来週|来週|今週)?の?([月火水木金土日])曜"
)
_ASIAN_DAYS = {
    **{c: n for n, c in enumerate("一二三四五六日")},
    "天": 6,
    **{c: n for n, c in enumerate("月火水木金土")},
}
_REJECTED = re.compile(rf"\b({_DAY}) (?:que viene|next week) no,?", re.IGNORECASE)
_MONTH_END = re.compile(
    r"\b(?:(?:end of|ende|zum ende|fin(?:ales)? del?|fin du|fi[mn] d[oe]) (?:the |this |des |des laufenden |este |ce |deste )?(?P<next>next |nächsten |kommenden |próximo )?(?:month|monats|mes|mois|mês)|monatsende)\b"
    r"(?P<after> (?:que viene|que vem|prochain|próximo)\b)?|(?P<asian>下个?|来)?月[底末]"
    rf"|\b(?:end of|ende|finales de|fin(?: de)?|fim de) (?P<month>{_MONTH})\b",
    re.IGNORECASE,
)
_YEAR_END = re.compile(
    r"\b(?:end of (?:the |this )?year|year.?end|jahresende|ende des jahres|fin de año|fin de lannée|fi[mn] d[oe] ano)\b|年[底末]",
    re.IGNORECASE,
)
_WEEK_END = re.compile(
    r"\b(?:end of (?:the |this )?week|ende der woche|fin de semana no|finales de semana|fin de la semaine|fim da semana)\b|这?周末前|週末まで",
    re.IGNORECASE,
)
_ORDINALS = {
    word: number
    for number, word in enumerate(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"],
        start=1,
    )
} | {f"twenty {w}": 20 + n for n, w in enumerate(["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"], 1)} | {
    "thirtieth": 30, "thirty first": 31,
}  # fmt: skip
_ORDINAL = "|".join(sorted((w.replace(" ", "[ -]") for w in _ORDINALS), key=len, reverse=True))
_DAY_ONLY = re.compile(
    rf"\bthe (\d{{1,2}})(?:st|nd|rd|th)\b(?! (?:of )?(?:{_MONTH})\b| (?:time|run|line|row))|\b(?:dia|el|al|le|au|du|den|dem|zum|am) (\d{{1,2}})\b(?!\.? (?:de )?(?:{_MONTH}))"
    r"(?!\.?\d|[:.]\d|\s?(?:%|\w*(?:bytes?|mb|gb|ms|min|bits?|rows?|passe|ans|años|ne|no|não|columnas|filas|lignes|linhas)\b))"
    rf"|\bthe ({_ORDINAL}) (?=of (?:this|the|next) month)|(来月|下个?月|今月|这个?月|本月)(\d{{1,2}})[日号]"
    r"|(?<![月\d])(\d{1,2})[日号](?=まで|締|が期限|に|之?前|截止|上线|发)",
    re.IGNORECASE,
)
_IN_SPAN = re.compile(
    r"\b(?:in|within|innerhalb von|binnen|dentro de|en|dans|sous|em|daqui a) (\d{1,2}|\w+) (days?|weeks?|tagen?|wochen?|días?|semanas?|jours?|semaines?|dias?)\b"
    r"|([一二两三四五六七八九十\d])(天|周|个星期)(?:后|之后|内)|(\d)(日|週間)(?:後|以内)",
    re.IGNORECASE,
)
_NUMBERS = {
    word: number
    for number, words in enumerate(
        ("a one einer einem una un une um uma 一", "two zwei dos deux dois duas 二 两", "three drei tres trois três 三",
         "four vier cuatro quatre quatro 四",
         "five fünf cinco cinq 五", "six sechs seis 六", "seven sieben siete sept sete 七", "eight acht ocho huit oito 八",
         "nine neun nueve neuf nove 九", "ten zehn diez dix dez 十"),
        start=1,
    )
    for word in words.split()
}  # fmt: skip
_DAY_AFTER = re.compile(
    r"\b(day after tomorrow|übermorgen|pasado mañana|après-demain|depois de amanhã)\b|后天|明後日|あさって",
    re.IGNORECASE,
)
_TOMORROW = re.compile(r"\b(tomorrow|mañana|demain|amanhã)\b|明天|明日", re.IGNORECASE)


def find(text: str, said: date) -> tuple[date, ...]:
    """The dates a sentence names, absolute, in the order of certainty; empty when it names none."""
    text = _REJECTED.sub(" ", text)
    found: list[date] = []
    for reading in (_iso, _month_day, _day_month, _dotted, _asian, _month_end, _year_end, _day_only):
        found += [one for one in reading(text, said) if one not in found]
    if not found:  # a day with its number says more than its name
        for reading in (_weekday, _asian_weekday, _span, _week_end, _tomorrow):
            found += [one for one in reading(text, said) if one not in found]
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
    slashed = [(int(a), int(b)) for a, b in _SLASHED.findall(text)]
    certain = [
        sorted(pair) for pair in slashed if 1 <= min(pair) <= 12 < max(pair) <= 31
    ]  # only one can be the month
    found += _next((("", month, day) for month, day in certain), said)
    if re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", text):  # month first; elsewhere 6/9 is two different days
        found += _next((("", month, day) for month, day in slashed if [month, day] not in certain), said)
    return found


def _month_end(text: str, said: date) -> list[date]:
    found = []
    for match in _MONTH_END.finditer(text):
        name, later = match["month"], match["next"] or match["after"] or match["asian"]
        month = _MONTHS[name.lower()] if name else said.month % 12 + 1 if later else said.month
        year = said.year + (month < said.month)
        found.append(date(year, month, calendar.monthrange(year, month)[1]))
    return found


def _year_end(text: str, said: date) -> list[date]:
    return [date(said.year, 12, 31)] if _YEAR_END.search(text) else []


def _week_end(text: str, said: date) -> list[date]:
    """The end of a working week is its friday."""
    return [said + timedelta(days=(4 - said.weekday()) % 7)] if _WEEK_END.search(text) else []


def _day_only(text: str, said: date) -> list[date]:
    """A day of the month alone is the next one; "of next month" is said with it in some languages."""
    found = []
    for match in _DAY_ONLY.finditer(text):
        plain, bare, word, month, asian, alone = match.groups()
        day = int(plain or bare or asian or alone or _ORDINALS[re.sub(r"[ -]", " ", word.lower())])
        here = (said.year, said.month)
        later = (said.year + (said.month == 12), said.month % 12 + 1)
        nexts = month in {"来月", "下月", "下个月"} or text[match.end() :].lower().startswith(
            " of next month"
        )
        options = _valid((y, m, day) for y, m in ((later,) if nexts else (here, later)))
        found += [one for one in options if one >= said][:1]
    return found


def _weekday(text: str, said: date) -> list[date]:
    found = []
    for match in _WEEKDAY.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        if _NOT_THAT_WEEKDAY.search(before):
            continue
        number = _WEEKDAYS[match.group(1).lower()]
        coming = said + timedelta(days=(number - said.weekday()) % 7 or 7)
        if _AFTER_NEXT.search(before) or _AFTER_NEXT.search(after):
            weeks = 2 if after.startswith(" en quinze") else 1
            coming += timedelta(weeks=weeks)
        elif _NEXT_WEEK.search(before) or _NEXT_WEEK.search(after):
            coming = said + timedelta(days=7 - said.weekday() + number)
        found.append(coming)
    return found


def _asian_weekday(text: str, said: date) -> list[date]:
    found = []
    for zh, day, ja, other in _ASIAN_WEEKDAY.findall(text):
        weeks = {"下下": 2, "下": 1, "再来週": 2, "来週": 1}.get(zh or ja, 0)
        number = _ASIAN_DAYS["日" if (day or other) == "天" else day or other]
        one = said + timedelta(days=7 * weeks - said.weekday() + number)
        found.append(one if one > said else one + timedelta(days=7))
    return found


def _span(text: str, said: date) -> list[date]:
    found = []
    for latin, unit, zh, zh_unit, ja, ja_unit in _IN_SPAN.findall(text):
        amount, name = (latin or zh or ja).lower(), (unit or zh_unit or ja_unit).lower()
        count = _NUMBERS.get(amount) or (int(amount) if amount.isdigit() else 0)
        days = name.startswith(("day", "tag", "día", "dia", "jour", "天", "日"))
        found += [said + timedelta(days=count if days else 7 * count)] if count else []
    return found


def _tomorrow(text: str, said: date) -> list[date]:
    if _DAY_AFTER.search(text):
        return [said + timedelta(days=2)]
    return [said + timedelta(days=1)] if _TOMORROW.search(text) else []


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
