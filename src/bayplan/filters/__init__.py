"""RULES 1: which nodes may take a workload, and why not the others.

A filter is a function `(snapshot, workload) -> list[Clause]` (table/forms.py). A clause judges rows
and gives reasons for those it refuses, from the same columns.
"""
