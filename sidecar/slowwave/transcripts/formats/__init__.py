"""The agents whose transcripts we read, one module each, listed in a plain dict.

To add one: write a module with the shape of `protocol.Format`, list it here, and add its ground truth to the
tests.
"""

from slowwave.transcripts.formats import claude_code, codex
from slowwave.transcripts.formats.protocol import OWN_MARK, Format, Parser, Place

FORMATS: dict[str, Format] = {
    claude_code.NAME: claude_code,
    codex.NAME: codex,
}

__all__ = ["FORMATS", "OWN_MARK", "Format", "Parser", "Place"]
