"""slowwave: slow-wave sleep for coding agents.

A local daemon watches the transcript files that coding agents already write, and in the
background a confined reflection turns them into markdown memory in git. See ARCHITECTURE.md.
"""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("slowwave")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"
