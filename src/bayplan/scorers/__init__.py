"""RULES 2: how good a node is, as a sum of terms on fixed scales.

A scorer is a frozen dataclass with a `weight` and a method `parts(snapshot, workload) -> list[Part]`
(table/forms.py). Never normalise over this request's feasible nodes: it would forbid caching.
"""
