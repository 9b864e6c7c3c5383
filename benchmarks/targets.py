"""What we hold ourselves to, at the sizes that matter: printed beside the figures, never enforced."""

from __future__ import annotations


def target(row: dict[str, object]) -> tuple[str, bool] | None:
    """The target of a row in words, and whether it is met."""
    how, nodes = row["how"], row["nodes"]
    if "aim" in row:
        return _aim(row)
    if how == "both policies":
        return ">= 50 x plain Python", float(str(row["times_baseline"])) >= 50
    if "per_second" in row:
        least = _least(str(row["what"]), str(how), int(str(nodes)))
        return None if least is None else (f">= {least:,}/s", float(str(row["per_second"])) >= least)
    if "mebibytes" in row and nodes == 100_000:
        most = 1229 if "workloads" in str(row["what"]) else 350
        return f"<= {most} MiB", float(str(row["mebibytes"])) <= most
    if nodes == 20_000 and "microseconds" in row:
        limits = {"change": 1000.0, "ask": 5000.0 if "explain" in str(row["what"]) else None}
        limit = limits.get(str(how))
        return None if limit is None else (f"<= {limit:,.0f} us", float(str(row["microseconds"])) <= limit)
    return None


def _aim(row: dict[str, object]) -> tuple[str, bool]:
    """The row names its own target: as many decisions as this, or as few seconds or mebibytes."""
    aim = float(str(row["aim"]))
    if "per_second" in row:
        return f">= {aim:,.0f}/s", float(str(row["per_second"])) >= aim
    unit = "s" if "seconds" in row else "MiB"
    return f"<= {aim:,.0f} {unit}", float(str(row.get("seconds", row.get("mebibytes")))) <= aim


def _least(what: str, how: str, nodes: int) -> int | None:
    if nodes == 5_000:
        batches = {"resources": 1_000_000, "anti-affinity": 200_000}
        return {"unique": 12_000, "repeated": 80_000}.get(how) or batches.get(what)
    if nodes == 100_000:
        return {"unique": 4_000, "repeated": 50_000}.get(how)
    return None
