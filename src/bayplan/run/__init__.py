"""Going: what happens over time. The decision log and its replay are here; loops and simulation will be.

log       lines in a file: append-only, versioned, safe against crashes
records   what happens to a cluster, as such lines, and back
recorder  a cluster whose every change is written down
replay    the same changes again, to the same placements or under another policy
"""
