"""`python -m slowwave`."""

from slowwave.cli import main

main()
