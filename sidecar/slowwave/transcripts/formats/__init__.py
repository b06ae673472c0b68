"""The agents whose transcripts we read, one module each, listed in a plain dict.

To add one: write a module with the shape of `protocol.Format`, list it here, and add its ground truth to the
tests. The order is the order of recognition: what has the fewest marks of its own comes last.
"""

from slowwave.transcripts.formats import (
    aider,
    claude_code,
    cline,
    codex,
    copilot,
    cursor,
    gemini,
    goose,
    letta_code,
    opencode,
    openhands,
    pi,
    plain,
    qwen,
)
from slowwave.transcripts.formats.protocol import OWN_MARK, Format, Parser, Place

FORMATS: dict[str, Format] = {
    claude_code.NAME: claude_code,
    codex.NAME: codex,
    copilot.NAME: copilot,
    pi.NAME: pi,
    qwen.NAME: qwen,
    gemini.NAME: gemini,
    opencode.NAME: opencode,
    goose.NAME: goose,
    letta_code.NAME: letta_code,
    cline.NAME: cline,
    openhands.NAME: openhands,
    aider.NAME: aider,
    cursor.NAME: cursor,
    plain.NAME: plain,
}

__all__ = ["FORMATS", "OWN_MARK", "Format", "Parser", "Place"]
