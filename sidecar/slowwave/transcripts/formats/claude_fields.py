"""The fields of Claude Code's rows that mean something to `claude_code`; the rest is never made into objects."""

from typing import Any, TypedDict


class _Message(TypedDict, total=False):
    id: Any
    role: Any
    content: Any
    model: Any
    stop_reason: Any
    usage: Any


class FIELDS(TypedDict, total=False):
    """What is looked at in a row. `toolUseResult` tells every result again, and is left out."""

    type: Any
    uuid: Any
    parentUuid: Any
    timestamp: Any
    message: _Message
    sessionId: Any
    cwd: Any
    version: Any
    gitBranch: Any
    entrypoint: Any
    isSidechain: Any
    agentId: Any
    isMeta: Any
    isCompactSummary: Any
    isVisibleInTranscriptOnly: Any
    isApiErrorMessage: Any
    promptSource: Any
    origin: Any
    subtype: Any
    content: Any
    compactMetadata: Any
    attachment: Any
