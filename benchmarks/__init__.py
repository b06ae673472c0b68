"""Benchmarks: one module each; `python -m benchmarks` prints their tables."""
