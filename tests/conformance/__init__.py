"""Other schedulers' own cases, run through bayplan's public API: `python -m tests.conformance PATH...`"""
