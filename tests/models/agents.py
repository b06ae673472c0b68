"""Small programs that answer as `claude -p` and `codex exec` do, for tests that need no real one."""

import sys
from pathlib import Path

_CLAUDE = """#!{python}
import json, os, sys, time
asked = sys.stdin.read()
with open({log!r}, "a") as log:
    log.write(json.dumps({{"argv": sys.argv[1:], "asked": asked, "env": sorted(os.environ)}}) + "\\n")
plan = json.load(open({plan!r}))
time.sleep(plan.get("sleep", 0))
if plan.get("raw") is not None:
    print(plan["raw"]); sys.exit(plan.get("code", 0))
usage = {{"input_tokens": 900, "output_tokens": 40, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 0}}
said = {{"type": "result", "is_error": "error" in plan, "result": plan.get("error", ""), "usage": usage,
        "api_error_status": plan.get("status"), "total_cost_usd": 0.5, "structured_output": plan.get("answer")}}
print(json.dumps(said)); sys.exit(1 if "error" in plan else 0)
"""
_CODEX = """#!{python}
import json, os, sys, time
if sys.argv[1:3] == ["features", "list"]:
    print("shell_tool  stable  true"); sys.exit(0)
asked = sys.stdin.read()
with open({log!r}, "a") as log:
    log.write(json.dumps({{"argv": sys.argv[1:], "asked": asked, "env": sorted(os.environ)}}) + "\\n")
plan = json.load(open({plan!r}))
time.sleep(plan.get("sleep", 0))
print(json.dumps({{"type": "thread.started", "thread_id": "t"}}))
if "error" in plan:
    print(json.dumps({{"type": "turn.failed", "error": {{"message": plan["error"]}}}})); sys.exit(1)
text = plan["raw"] if plan.get("raw") is not None else json.dumps(plan.get("answer"))
print(json.dumps({{"type": "item.completed", "item": {{"type": "agent_message", "text": text}}}}))
usage = {{"input_tokens": 1000, "cached_input_tokens": 100, "output_tokens": 40}}
print(json.dumps({{"type": "turn.completed", "usage": usage}}))
"""


def program(folder: Path, name: str) -> Path:
    """A program called `claude` or `codex`; it plays `plan.json` beside it and logs what it was asked."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    text = {"claude": _CLAUDE, "codex": _CODEX}[name]
    log, plan = str(folder / "log.jsonl"), str(folder / "plan.json")
    file.write_text(text.format(python=sys.executable, log=log, plan=plan), "utf-8")
    file.chmod(0o755)
    return file
