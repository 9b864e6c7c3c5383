"""DECIDE: pure. No clock, no I/O, no randomness that is not seeded."""
