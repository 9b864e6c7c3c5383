"""The sections of a document: one shape for every file. Sections of several documents add up; `policy` stands once."""

from __future__ import annotations

from typing import Final

from pydantic import ConfigDict, Field

from bayplan.dialects.native.policy_schema import PolicyEntry
from bayplan.dialects.native.schema import GroupEntry, NodeEntry, TemplateEntry, WorkloadEntry
from bayplan.dialects.native.shapes import Entry


class DocumentEntry(Entry):
    """One document. Every section may be left out; sections of several documents and files add up."""

    model_config = ConfigDict(title="bayplan manifest")
    nodes: list[NodeEntry] | None = Field(None, description="The nodes there are.")
    templates: list[TemplateEntry] | None = Field(None, description="Nodes that could be bought.")
    workloads: list[WorkloadEntry] | None = Field(None, description="What asks for a place, or already has one.")
    groups: list[GroupEntry] | None = Field(None, description="Workloads that are placed whole or not at all.")
    policy: PolicyEntry | None = Field(None, description="How nodes are chosen. Once over all documents.")


SECTIONS: Final[dict[str, type[Entry]]] = {
    "nodes": NodeEntry,
    "templates": TemplateEntry,
    "workloads": WorkloadEntry,
    "groups": GroupEntry,
    "policy": PolicyEntry,
}
"""Entries are checked one by one, so that a million wrong ones cost no more than the first thousand."""
