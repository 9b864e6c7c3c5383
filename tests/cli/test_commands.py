"""The commands, told as text for people: exit codes, what is said, in which order."""

from __future__ import annotations

import pytest

from tests.cli.command import CROWDED, FITS, HOPELESS, WAITS, WRONG, bayplan

# command, content of f.yaml, exit code, what stdout or stderr says
CODES: list[tuple[str, str, int, str]] = [
    ("place f.yaml", FITS, 0, "2 of 2 workloads placed on 1 of 2 nodes"),
    ("place f.yaml", WAITS, 1, "Ask bayplan why gang f.yaml"),
    ("place f.yaml", HOPELESS, 1, "2 pending"),
    ("place f.yaml", "", 0, "There are no nodes"),
    ("place f.yaml", "workloads: [{name: a}]", 1, "0 of 1 workload placed"),
    ("place f.yaml --policy pack", FITS, 0, "(policy pack)"),
    ("place f.yaml --policy f.yaml", FITS + "policy: {preset: spread, name: mine}", 0, "(policy mine)"),
    ("place f.yaml", WRONG, 2, "3 mistakes"),
    ("place f.yaml", CROWDED, 2, "f.yaml:4: on: 'old' does not fit on node 'n1'"),
    ("place missing.yaml", "", 2, "missing.yaml: cannot be read: No such file"),
    ("place .", FITS, 0, "2 of 2"),
    ("place f.yaml --policy pakc", FITS, 2, "did you mean 'pack'?"),
    ("place f.yaml --policy f.yaml", FITS, 2, "there is no policy section"),
    ("place f.yaml --log f.yaml", FITS, 2, "there is a file already"),
    ("place f.yaml --log no/such/folder", FITS, 2, "cannot be written"),
    ("place f.yaml --seed x", FITS, 2, "--seed"),
    ("place f.yaml --seed 99999999999999999999", FITS, 2, "64 bits"),
    ("place f.yaml --unknown", FITS, 2, "No such option"),
    ("place", FITS, 2, "FILES"),
    ("nonsense", FITS, 2, "nonsense"),
    ("why web-0 f.yaml", FITS, 0, "web-0 is on n1"),
    ("why old f.yaml", FITS, 0, "old is on n1"),
    ("why gang f.yaml", WAITS, 1, "is placed whole or not at all"),
    ("why gang f.yaml", WAITS, 1, "group gang is pending: m-1 fits on none of 2 nodes now"),
    ("why gang f.yaml", WAITS, 1, "What keeps the nodes out, assuming the first member seated on n1:"),
    ("why m-1 f.yaml", WAITS, 1, "is placed whole or not at all"),
    ("why web-0 f.yaml", HOPELESS, 1, "one of the templates would"),
    ("why web-0 f.yaml", HOPELESS, 1, "Or: add one node of template big"),
    ("why gang f.yaml", WAITS, 1, "Or: add one node of template big"),
    ("why web-0 f.yaml --node n2", FITS, 0, "taints: has the taint x:NoSchedule"),
    ("why web-0 f.yaml --node n1", FITS, 0, "n1 is where it is"),
    ("why web-0 f.yaml --node n9", FITS, 2, "n9"),
    ("why wbe-0 f.yaml", FITS, 2, "did you mean 'web-0'?"),
    ("why web f.yaml", FITS, 2, "web has 2 replicas, web-0 to web-1: ask for one of them"),
    ("why web f.yaml", FITS.replace("replicas: 2", "replicas: 12"), 2, "web has 12 replicas, web-0 to web-11: ask"),
    ("why web f.yaml", FITS.replace("replicas: 2", "replicas: 1"), 2, "did you mean 'web-0'?"),
    ("why web-0 f.yaml --all-nodes", FITS, 0, "would score"),
    ("whatif f.yaml --drain n1", FITS, 1, "Pending: 0 before, 3 after"),
    ("whatif f.yaml --uncordon n1", FITS, 0, "0 moved"),
    ("whatif f.yaml --taint n2:x-", WAITS, 0, "2 gained a place"),
    ("whatif f.yaml --taint n2:x-", FITS, 0, "What if: remove taint x from n2"),
    ("whatif f.yaml --taint n1:y=1:NoSchedule --drain n1", FITS, 1, "taint n1 y=1:NoSchedule; drain n1"),
    ("whatif f.yaml --add name=n3,cpu=4", WAITS, 0, "2 gained a place"),
    ("whatif f.yaml --add name=n,count=2,cpu=4,gpu=2,label.zone=c", WAITS, 0, "add n-0, n-1"),
    ("whatif f.yaml --add-template big=2", WAITS, 0, "add big-0, big-1"),
    ("whatif f.yaml --release web-0 --relabel n1:zone=b,disk-", FITS, 0, "release web-0; relabel n1 zone=b, disk-"),
    ("whatif f.yaml --policy pack", FITS, 0, "policy pack"),
    ("whatif f.yaml --versus f.yaml", FITS, 0, "3 unchanged"),
    ("whatif f.yaml --release web-0", FITS, 0, "gone web-0 n1 - 0 gained a place, 0 lost theirs, 0 moved, 1 gone, 2 unchanged."),
    ("whatif f.yaml", FITS, 2, "what if what?"),
    ("whatif f.yaml --drain n9", FITS, 2, "there is no node 'n9'"),
    ("whatif f.yaml --add nope.yaml", FITS, 2, "nope.yaml: cannot be read"),
    ("whatif f.yaml --add cpu=4", FITS, 2, "name"),
    ("whatif f.yaml --add name=n3,cpu", FITS, 2, "'cpu' is not key=value"),
    ("whatif f.yaml --add name=n3,cpu=lots", FITS, 2, "'lots' is not a quantity"),
    ("whatif f.yaml --add name=n1,cpu=1", FITS, 2, "already a node 'n1'"),
    ("whatif f.yaml --add-template bgi", FITS, 2, "did you mean 'big'?"),
    ("whatif f.yaml --add-template big=9", FITS, 2, "at most 2"),
    ("whatif f.yaml --add-template big=x", FITS, 2, "not a number"),
    ("whatif f.yaml --relabel n1", FITS, 2, "NODE:key=value"),
    ("whatif f.yaml --relabel n1:zone", FITS, 2, "neither key=value nor key-"),
    ("whatif f.yaml --taint n1:x=1:Sometimes", FITS, 2, "--taint"),
    ("whatif f.yaml --taint n1:x-", FITS, 2, "has no taint 'x'"),
    ("whatif f.yaml --release nobody", FITS, 2, "nobody"),
    ("whatif f.yaml --versus f.yaml --drain n1", FITS, 2, "takes no changes"),
    ("validate f.yaml", FITS, 0, "ok: 2 nodes, 1 template, 2 workloads, 1 resident"),
    ("validate f.yaml", WRONG, 2, "3 mistakes"),
    ("validate f.yaml", "policy: {scorers: {nonsense: 1}}", 2, "there is no scorer 'nonsense'"),
    ("schema", "", 0, "json-schema.org"),
    ("replay f.yaml", FITS, 2, "f.yaml:1"),
    ("replay missing.jsonl", "", 2, "cannot be read"),
    ("--version", "", 0, "bayplan"),
]


@pytest.mark.parametrize("command, content, code, says", CODES, ids=[f"{row[0]}: {row[3]}" for row in CODES])
def test_exit_codes(command: str, content: str, code: int, says: str) -> None:
    ran = bayplan(*command.split(), f=content)
    assert ran.code == code, (ran.out, ran.err)
    assert says in " ".join((ran.out + ran.err).split())
    if code == 2:
        assert not ran.out, "what is wrong is said on stderr only"


def test_changes_are_made_in_the_order_given() -> None:
    """Cordoning a node before or after it is drained, with uncordon between, are different stories."""
    first = bayplan("whatif", "f.yaml", "--drain", "n1", "--uncordon=n1", "--json", f=FITS)
    second = bayplan("whatif", "f.yaml", "--uncordon", "n1", "--drain=n1", "--json", f=FITS)
    assert first.json["changes"] == ["drain n1", "uncordon n1"]
    assert second.json["changes"] == ["uncordon n1", "drain n1"]
    assert (first.code, second.code) == (0, 1)


def test_values_that_look_like_options_keep_the_order() -> None:
    odd = FITS.replace("name: web, replicas: 2", "name: --drain")
    ran = bayplan("whatif", "--release", "--drain", "f.yaml", "--drain", "n1", f=odd)
    assert "release --drain; drain n1" in ran.out


def test_a_workload_near_something_placed_later_finds_its_place() -> None:
    late = "nodes: [{name: n, capacity: {cpu: 9}}]\nworkloads:\n"
    late += "- {name: a, priority: 5, near: [{peers: {app: b}}]}\n- {name: b, labels: {app: b}}\n"
    ran = bayplan("place", "f.yaml", "--json", f=late)
    assert [(one["workload"], one["node"]) for one in ran.json["decisions"]] == [("a", "n"), ("b", "n")]


MANY_KINDS = "nodes: [{name: n, capacity: {cpu: 1}}]\nworkloads:\n" + "".join(
    f"- {{name: w{i:02}, requests: {{cpu: {i}}}}}\n" for i in range(2, 16)
) + "groups:\n" + "".join(f"- {{name: g{i}, members: [{{name: m{i}, requests: {{cpu: 9}}}}]}}\n" for i in range(3))  # fmt: skip


@pytest.mark.parametrize("command", ["place f.yaml", "whatif f.yaml --cordon n"])
def test_of_much_that_waits_every_group_is_shown_and_the_rest_on_demand(command: str) -> None:
    short = bayplan(*command.split(), f=MANY_KINDS).out
    assert [f"g{i} (group of 1)" in short for i in range(3)] == [True] * 3
    assert "and 4 more kinds of workloads; --all shows them" in short
    pending = short.partition("PENDING  ")[2]
    assert "\nw11 " in pending
    assert "\nw12 " not in pending
    assert "\nw15 " in bayplan(*command.split(), "--all", f=MANY_KINDS).out.partition("PENDING  ")[2]


def test_all_nodes_and_workloads_have_a_line_when_asked_for() -> None:
    many = FITS.replace("{name: n1,", "{name: n1, count: 30,").replace("replicas: 2", "replicas: 40")
    many = many.replace(', {name: old, "on": n1, requests: {cpu: 1}}', "")
    short, whole = (bayplan("place", "f.yaml", *words, f=many).out for words in ([], ["--all"]))
    assert "less full; --all shows them" in short
    assert [name for name in [f"n1-{i} " for i in range(30)] + [f"web-{i} " for i in range(40)] if f"\n{name}" not in whole] == []


def test_portions_do_not_change_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    from bayplan.cli import planning

    work = FITS.replace("cpu: 4}", "cpu: 400}") + "groups: [{name: g, members: [{name: m, replicas: 3}]}]\n"
    work = work.replace("replicas: 2", "replicas: 50").replace("{name: old", "{name: vip, priority: 9, replicas: 30}, {name: old")
    whole = bayplan("place", "f.yaml", "--json", f=work)
    monkeypatch.setattr(planning, "MANY", 10)
    monkeypatch.setattr(planning, "PORTION", 7)
    assert bayplan("place", "f.yaml", "--json", f=work).out == whole.out


def test_the_fallbacks_of_a_group_come_after_what_it_asked_for() -> None:
    gang = (
        "groups: [{name: g, members: [{name: m, requests: {cpu: 9}}], fallbacks: [{members: [{name: s, requests: {cpu: 7}}]}]}]"
    )
    lines = bayplan("why", "g", "f.yaml", f="nodes: [{name: n, capacity: {cpu: 1}}]\n" + gang).out.splitlines()
    found = [one.partition(" (")[0].rstrip(":") for one in lines if one and not one.startswith(" ")]
    assert found[:5] == [
        "group g can never be placed: for m none of 1 node will ever do",
        "What keeps the nodes out",
        "Nearest misses",
        "Smallest change: on n: ask for at most 1 cpu",
        "Fallback 1 finds nothing either",
    ]
