"""A seccomp filter: the system calls that lead out of Landlock, or past it, are gone for good.

Landlock lets through UDP, sockets with a path, and changes of mode, owner, time and attributes anywhere. Those of
ordinary tools are answered with success and do nothing (`cp -p` goes on), the others are refused. Numbers are those
of the kernel's tables for x86-64 and arm64; on any other machine there is no filter and no level that needs one.
Standard library only: it runs in the worker.
"""

import ctypes
import errno
import platform
import struct

_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# Refused: (x86-64, arm64); None where there is no such call.
_REFUSED: dict[str, tuple[int | None, int | None]] = {
    "socket": (41, 198), "setsid": (112, 157), "setpgid": (109, 154), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "pidfd_getfd": (438, 438),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "unshare": (272, 97), "setns": (308, 268), "open_tree": (428, 428), "move_mount": (429, 429),
    "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "kexec_load": (246, 104),
    "init_module": (175, 105), "finit_module": (313, 273), "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264), "symlink": (88, None), "symlinkat": (266, 36), "link": (86, None),
    "linkat": (265, 37), "mknod": (133, None), "mknodat": (259, 33), "quotactl": (179, 60),
    "swapon": (167, 224), "reboot": (169, 142), "acct": (163, 89), "fanotify_init": (300, 262),
}  # fmt: skip
# Answered with success, and nothing done.
_PRETENDED: dict[str, tuple[int | None, int | None]] = {
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, None), "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54),
    "utime": (132, None), "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
}  # fmt: skip
_NOT_SUPPORTED: dict[str, tuple[int | None, int | None]] = {
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
}  # fmt: skip
_CLONE, _CLONE3, _IOCTL = (56, 220), (435, 435), (16, 29)
_NEW_NAMESPACES = 0x7E020000
_TYPE_INTO_TERMINAL, _TYPE_INTO_CONSOLE = 0x5412, 0x541C
_X32 = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24  # offsets in struct seccomp_data
_PR_SET_SECCOMP, _FILTER = 22, 2

Instruction = tuple[int, int, int, int]


def known() -> bool:
    """Whether there is a filter for this machine."""
    return platform.machine() in _ARCH


def program(machine: str) -> list[Instruction]:
    """The filter as classic BPF: (code, jump if true, jump if false, constant)."""
    column = list(_ARCH).index(machine)
    found: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, _ARCH[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine == "x86_64":  # its second set of numbers would go by all the rest
        found += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _KILL)]
    for calls, answer in (
        (_REFUSED, errno.EPERM),
        (_PRETENDED, 0),
        (_NOT_SUPPORTED, errno.ENOTSUP),
        ({"clone3": _CLONE3}, errno.ENOSYS),  # its flags are out of sight: callers fall back to clone
    ):
        for numbers in calls.values():
            if (number := numbers[column]) is not None:
                found += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | answer)]
    found += [
        (_EQUAL, 0, 4, _CLONE[column]),
        (_LOAD, 0, 0, _FIRST),
        (_ANY_BIT, 0, 1, _NEW_NAMESPACES),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_LOAD, 0, 0, _NUMBER),
        (_EQUAL, 0, 4, _IOCTL[column]),
        (_LOAD, 0, 0, _SECOND),
        (_EQUAL, 1, 0, _TYPE_INTO_TERMINAL),
        (_EQUAL, 0, 1, _TYPE_INTO_CONSOLE),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return found


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def confine() -> None:
    """Put the filter on this process and all its children. Needs no_new_privs. Raises OSError."""
    if not known():
        raise OSError(f"no system call filter for {platform.machine()}")
    instructions = program(platform.machine())
    raw = b"".join(struct.pack("=HBBI", *i) for i in instructions)
    held = ctypes.create_string_buffer(raw, len(raw))
    given = _Program(len(instructions), ctypes.cast(held, ctypes.c_void_p).value)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_SECCOMP, _FILTER, ctypes.byref(given), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp refused the filter")
