"""How fast bayplan decides, beside a plain-Python baseline in the same process.

    make bench                                   everything (about ten minutes)
    python -m benchmarks --nodes 5000            one size
    python -m benchmarks --only decisions --json results.json

Figures are the best of several repeats in thread CPU time: what the code can do, not what else the
machine was doing. Times never fail a test; targets are printed beside the figures.
"""
