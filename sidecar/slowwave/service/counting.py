"""The verb that counts what the agents' transcripts hold; it needs neither the store nor memory."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from slowwave.service.installation import Installation
from slowwave.verbs import OnStep

if TYPE_CHECKING:
    from slowwave.transcripts.listing import SessionCounts


class Counting(Installation):
    """Count transcripts."""

    def transcripts(
        self, paths: Sequence[Path], on_step: OnStep
    ) -> "tuple[tuple[SessionCounts, ...], tuple[str, ...]]":
        """Every session below these paths (none: of every agent found) in numbers, and what could not be listed."""
        from slowwave.transcripts import discover, listing  # the parsers

        files, problems = (discover.at_any(paths), ()) if paths else self.files_by_agent()
        counts = listing.list_sessions(files, self.own_root, lambda n, of: on_step(f"read {n}/{of}"))
        return counts, problems
