"""slowwave: slow-wave sleep for coding agents.

A local daemon watches the transcript files that coding agents already write, and in the
background a confined reflection turns them into markdown memory in git. See ARCHITECTURE.md.
"""


def __getattr__(name: str) -> str:
    """`__version__`, read when somebody asks for it: finding it takes longer than most commands."""
    if name != "__version__":
        raise AttributeError(name)
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("slowwave")
    except PackageNotFoundError:  # a source tree that was never installed
        return "0+unknown"
