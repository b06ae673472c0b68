"""The confined hands of a model: file tools and, where the person wants it, a shell, in a process of their own.

The mind (the process that holds the key) never touches a file on a model's behalf. A worker does, without network,
key or secrets, and talks JSON lines over a pipe. `levels` names how well it is confined; `toolbox` starts it,
proves the level by trying to get out (`canary`), and speaks to it; `worker` is that process, which shuts itself in by
`limits`, `landlock` and `seccomp`, inside `bubblewrap` where there is one. `seatbelt` is the macOS profile.
"""
