"""How a benchmark's numbers look: one table per module, four columns, the same everywhere.

A row is either measured against a limit, and then has a verdict, or stands beside a peer for comparison.
"""

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

WITHIN, ABOVE = "within", "above"
BELOW = "below"  # of a floor: as bad as above a limit


@dataclass(frozen=True)
class Row:
    """One thing measured. `samples` are in `unit`; `limit` is the most the median may be, `floor` the least.

    more_is_better  the worst sample is the smallest
    """

    what: str
    samples: tuple[float, ...]
    unit: str
    limit: float | None = None
    beside: str = ""
    more_is_better: bool = False
    floor: float | None = None

    @property
    def median(self) -> float:
        """The median of the samples."""
        return statistics.median(self.samples)

    @property
    def verdict(self) -> str:
        """Whether the median is within the limit; "" where there is none."""
        if self.floor is not None:
            return WITHIN if self.median >= self.floor else BELOW
        if self.limit is None:
            return ""
        return WITHIN if self.median <= self.limit else ABOVE

    @property
    def measured(self) -> str:
        """The median, and the worst when there is more than one sample."""
        text = f"{number(self.median)} {self.unit}".rstrip()
        if len(self.samples) > 1:
            worst = min(self.samples) if self.more_is_better else max(self.samples)
            text += f" (worst {number(worst)}, n={len(self.samples)})"
        return text

    @property
    def against(self) -> str:
        """The limit, or what it stands beside."""
        if self.floor is not None:
            return f"at least {number(self.floor)} {self.unit}".rstrip()
        return self.beside if self.limit is None else f"at most {number(self.limit)} {self.unit}"

    def as_json(self) -> dict[str, Any]:
        """The row with its derived values."""
        return {**asdict(self), "median": self.median, "verdict": self.verdict}


@dataclass(frozen=True)
class Table:
    """The rows of one question, and remarks below them."""

    title: str
    rows: tuple[Row, ...]
    remarks: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The table as plain values."""
        return {"title": self.title, "rows": [r.as_json() for r in self.rows], "remarks": self.remarks}


def number(value: float) -> str:
    """A number with three significant digits, without an exponent."""
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3
    return f"{value:,.{digits}f}"


def show(table: Table) -> None:
    """Print a table."""
    lines = [("what", "measured", "limit or peer", "verdict")]
    lines += [(r.what, r.measured, r.against, r.verdict) for r in table.rows]
    widths = [max(len(line[n]) for line in lines) for n in range(3)]
    print(f"\n{table.title}")
    for n, line in enumerate(lines):
        print(f"  {_line(line, widths)}".rstrip())
        if n == 0:
            print(f"  {_line(['-' * w for w in (*widths, len('verdict'))], widths)}")
    for remark in table.remarks:
        print(f"  {remark}")


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join([*(cell.ljust(width) for cell, width in zip(cells, widths, strict=False)), cells[-1]])
