"""Landlock by three system calls: after `confine` this process and its children see only the paths named.

No binding on the package index is mature enough to stand between a model and a disk, so it is the few lines the
kernel's documentation asks for (userspace-api/landlock). Standard library only: it runs in the worker.
"""

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

LEAST_ABI = 3
"""The first that can forbid truncating."""
SCOPING_ABI = 6
"""The first that keeps signals and abstract sockets in."""
_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same numbers on every architecture
_RULE_PATH_BENEATH = 1
_VERSION = 1
_RIGHTS = (
    "execute", "write_file", "read_file", "read_dir", "remove_dir", "remove_file", "make_char", "make_dir",
    "make_reg", "make_sock", "make_fifo", "make_block", "make_sym", "refer", "truncate", "ioctl_dev",
)  # fmt: skip
_BIT = {name: 1 << n for n, name in enumerate(_RIGHTS)}
_SINCE = {"refer": 2, "truncate": 3, "ioctl_dev": 5}
_OF_FILES = ("execute", "write_file", "read_file", "truncate", "ioctl_dev")

READ = ("read_file", "read_dir")
EXECUTE = (*READ, "execute")
# No links, sockets, pipes or devices, and nothing that is written here can be run.
WRITE = (*READ, "write_file", "remove_dir", "remove_file", "make_dir", "make_reg", "refer", "truncate")

_libc = ctypes.CDLL(None, use_errno=True)


def abi() -> int:
    """The version of Landlock in this kernel; 0 when there is none."""
    try:
        return max(0, int(_libc.syscall(_CREATE, None, 0, _VERSION)))
    except (AttributeError, OSError):
        return 0


def confine(rules: Iterable[tuple[tuple[str, ...], Iterable[str]]]) -> None:
    """Keep this process to these (rights, paths). TCP, abstract sockets and signals go too where the kernel can.

    Paths that do not exist are left out. Raises OSError when the kernel refuses or is too old.
    """
    version = abi()
    if version < LEAST_ABI:
        raise OSError(f"Landlock ABI {version}, {LEAST_ABI} is needed")
    handled = _mask(_RIGHTS, version)
    network = 3 if version >= 4 else 0  # bind and connect over TCP: handled, and never allowed
    scoped = 3 if version >= SCOPING_ABI else 0  # abstract sockets and signals to outside
    size = 24 if version >= SCOPING_ABI else 16 if version >= 4 else 8
    attributes = ctypes.create_string_buffer(struct.pack("=QQQ", handled, network, scoped), 24)
    ruleset = _call(_CREATE, attributes, ctypes.c_size_t(size), 0)
    try:
        for rights, paths in rules:
            for path in paths:
                _allow(ruleset, path, _mask(rights, version), version)
        _call(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int, version: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _mask(_OF_FILES, version)
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, place), 12)
        _call(_ADD, ruleset, _RULE_PATH_BENEATH, rule, 0)
    finally:
        os.close(place)


def _mask(rights: Iterable[str], version: int) -> int:
    return sum(_BIT[name] for name in rights if _SINCE.get(name, 1) <= version)


def _call(number: int, *arguments: object) -> int:
    answer: int = _libc.syscall(number, *arguments)
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"Landlock: {os.strerror(code)}")
    return answer
