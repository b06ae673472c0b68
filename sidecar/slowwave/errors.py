"""Every error a person can meet, as one tree.

    SlowwaveError                 1  something failed
    ├── UsageError                2  the call or the settings are wrong; nothing was done
    │   └── ConfigError           2  the settings file, with every problem it has at once
    ├── StoreError                1  the record store cannot be read or written
    ├── TranscriptError           1  a transcript that exists cannot be read (absence is not an error)
    │   └── VanishedError         1  a transcript that was to be read is no longer there
    ├── MemoryRepositoryError     1  the memory repository is missing, damaged or not ours
    ├── IdentityError             1  the instance id cannot be had
    ├── ModelError                1  a model did not answer, or not usably; `kind` says how
    ├── BusyError                 4  another dream holds the lease, or a daemon is already running
    ├── RefusedError              5  policy, budget or sandbox forbids it
    │   ├── ScopeError            5  a path outside the scope was asked for
    │   └── BudgetError           5  it could cost more, or take longer, than was allowed
    └── InterruptedDreamError   130  the person (or the system) asked it to stop

Expected outcomes (nothing to reflect, pending, merged) are values, not errors: see `model`.
Ground floor: imports nothing of the house.
"""

from typing import ClassVar


class SlowwaveError(Exception):
    """The root. `problems` lists everything found wrong; `hint` says what to do about it.

    Fronts print `problems` line by line, then `hint`, never a traceback, and exit with `exit_code`.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, *problems: str, hint: str = "") -> None:
        super().__init__("; ".join(problems))
        self.problems: tuple[str, ...] = problems
        self.hint = hint


class UsageError(SlowwaveError):
    """The call is wrong; nothing was done."""

    exit_code = 2


class ConfigError(UsageError):
    """The settings file is wrong; every problem is listed at once."""


class StoreError(SlowwaveError):
    """The record store cannot be read or written."""


class TranscriptError(SlowwaveError):
    """A transcript exists and cannot be read. A failed read is never taken for an empty file."""


class VanishedError(TranscriptError):
    """A transcript that was to be read is gone, or a link stands in its place."""


class MemoryRepositoryError(SlowwaveError):
    """The memory repository is missing, damaged, or not a git repository."""


class IdentityError(SlowwaveError):
    """The instance id exists somewhere that does not answer now; a new one is never made instead."""


class ModelError(SlowwaveError):
    """A model did not answer, or not usably. `kind` is the word of the failure (see `models.protocol`)."""

    def __init__(self, *problems: str, kind: str = "", hint: str = "") -> None:
        super().__init__(*problems, hint=hint)
        self.kind = kind


class BusyError(SlowwaveError):
    """Somebody else is at it: another dream holds the lease, or a daemon is already running."""

    exit_code = 4


class RefusedError(SlowwaveError):
    """Policy, budget or sandbox forbids it."""

    exit_code = 5


class ScopeError(RefusedError):
    """A path outside the scope, or one that is no plain file, was asked for."""


class BudgetError(RefusedError):
    """A question to a model could cost more, or take longer, than the person allows."""


class InterruptedDreamError(SlowwaveError):
    """A dream was asked to stop; what it had read will be read again."""

    exit_code = 130
