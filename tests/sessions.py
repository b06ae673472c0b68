"""Writes Claude Code sessions as the real agent lays them down, for tests that need a living agent's files."""

import json
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class ClaudeSession:
    """One session that grows turn by turn. `home` plays the person's home."""

    home: Path
    name: str
    cwd: str = "/home/dev/harbor"
    turns: int = 0
    day: str = "2099-03-01"  # after any first start: what it says is news
    _clock: int = field(default=0, repr=False)

    @property
    def session_id(self) -> str:
        """The id Claude would give it; the same name always has the same."""
        return str(uuid.uuid5(uuid.NAMESPACE_OID, self.name))

    @property
    def path(self) -> Path:
        """The session's file."""
        slug = "".join(c if c.isascii() and c.isalnum() else "-" for c in self.cwd)
        return self.home / ".claude" / "projects" / slug / f"{self.session_id}.jsonl"

    def turn(
        self, prompt: str, *, steps: int = 1, answer: str = "Done.", ends: bool = True
    ) -> "ClaudeSession":
        """Append a whole turn: a prompt, `steps - 1` shell steps with their results, and the closing words."""
        self.turns += 1
        name = f"{self.name}-{self.turns}"
        rows = [self._row("user", f"u-{name}", {"role": "user", "content": prompt}, promptSource="typed")]
        for n in range(1, steps):
            call = {
                "type": "tool_use",
                "id": f"toolu-{name}-{n}",
                "name": "Bash",
                "input": {"command": f"echo {n}"},
            }
            result = {"type": "tool_result", "tool_use_id": call["id"], "content": f"{n}", "is_error": False}
            rows.append(self._assistant(f"a-{name}-{n}", f"msg-{name}-{n}", call, "tool_use"))
            rows.append(self._row("user", f"r-{name}-{n}", {"role": "user", "content": [result]}))
        if ends:
            text = {"type": "text", "text": answer}
            rows.append(self._assistant(f"a-{name}-end", f"msg-{name}-end", text, "end_turn"))
        self.append(rows)
        return self

    def tool_turn(self, prompt: str, tool: str, given: dict[str, Any], result: str) -> "ClaudeSession":
        """Append a turn in which the agent calls one tool, sees its result, and says that it is done."""
        self.turns += 1
        name = f"{self.name}-{self.turns}"
        call = {"type": "tool_use", "id": f"toolu-{name}", "name": tool, "input": given}
        back = {"type": "tool_result", "tool_use_id": call["id"], "content": result, "is_error": False}
        self.append([
            self._row("user", f"u-{name}", {"role": "user", "content": prompt}, promptSource="typed"),
            self._assistant(f"a-{name}", f"msg-{name}", call, "tool_use"),
            self._row("user", f"r-{name}", {"role": "user", "content": [back]}),
            self._assistant(f"a-{name}-end", f"msg-{name}-end", {"type": "text", "text": "Done."}, "end_turn"),
        ])  # fmt: skip
        return self

    def compaction(self) -> "ClaudeSession":
        """Append the two rows a compaction leaves."""
        name = f"{self.name}-{self.turns}-compact"
        boundary = self._row("system", f"b-{name}", None, subtype="compact_boundary")
        boundary |= {
            "content": "Conversation compacted",
            "compactMetadata": {"trigger": "auto", "preTokens": 9},
        }
        summary = {"role": "user", "content": "This session is being continued from a previous one."}
        self.append([boundary, self._row("user", f"s-{name}", summary, isCompactSummary=True)])
        return self

    def append(self, rows: list[dict[str, Any]]) -> None:
        """Append rows to the file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)

    def _assistant(self, uuid: str, message_id: str, block: dict[str, Any], stop: str) -> dict[str, Any]:
        message = {
            "id": message_id, "type": "message", "role": "assistant", "model": "claude-test",
            "content": [block], "stop_reason": stop, "usage": {"input_tokens": 10, "output_tokens": 5},
        }  # fmt: skip
        return self._row("assistant", uuid, message, requestId=f"req-{message_id}")

    def _row(self, kind: str, uuid: str, message: dict[str, Any] | None, **extra: Any) -> dict[str, Any]:
        self._clock += 1
        row: dict[str, Any] = {
            "parentUuid": None, "isSidechain": False, "type": kind, "uuid": uuid,
            "timestamp": f"{self.day}T10:{self._clock // 60 % 60:02}:{self._clock % 60:02}.000Z",
            "userType": "external", "entrypoint": "cli", "cwd": self.cwd, "sessionId": self.session_id,
            "version": "2.1.197", "gitBranch": "main", **extra,
        }  # fmt: skip
        return row | ({"message": message} if message is not None else {})
