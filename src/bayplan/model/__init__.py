"""WHAT: plain frozen data. No NumPy, no I/O, no decisions."""
