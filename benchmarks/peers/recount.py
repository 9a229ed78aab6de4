"""Count every release again, in plain Python that shares nothing with any of the systems.

    PYTHON benchmarks/peers/recount.py recount JOB.json

Classes, rows left out, DM, Prec and loss, whether each released row is true of an original row of
its own, and whatever is wrong: from the released files, the original and the hierarchies alone.
"""

from __future__ import annotations

import csv
import json
import math
import re
import sys
from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

INTERVAL = re.compile(r"\D?(\d+)\s*(?:[-–,]|\.\.)\s*(\d+)\D?")  # 20-24, [20, 24], 20..24
EMPTY = ("", "nan", "none", "<na>", "nat")
Row = tuple[str, ...]  # the quasi-identifiers, then the sensitive value
Range = tuple[frozenset[str], ...]  # for each quasi-identifier the leaves that a cell stands for
Tree = list[dict[str, frozenset[str]]]  # for each level the leaves under each label
Found = dict[str, Any]


def main() -> None:
    job = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    trees = {name: read_tree(path) for name, path in job["trees"].items()}
    columns = (*trees, job["sensitive"])
    original = read(job["table"], ";", columns)[0]
    most = int(job["suppress"] * len(original))
    report: Found = {"rows": len(original), "allowance": most, "notes": list(odd_labels(trees))}
    report["found"] = {}
    seen: dict[tuple[Row, ...], str] = {}
    for system, path in job["releases"].items():
        released, beside = read(path, ",", columns)
        found = recount(original, released, beside, list(trees.values()))
        found["notes"] = list(faults(found, job["k"], most))
        twin = seen.setdefault(tuple(sorted(released)), system)
        if twin != system:
            found["notes"].append(f"the rows are those of {twin}")
        report["found"][system] = found
    Path(job["report"]).write_text(json.dumps(report), encoding="utf-8")


def recount(
    original: list[Row], released: list[Row], beside: dict[str, Row], trees: list[Tree]
) -> Found:
    """What the released rows say. A row starred throughout is left out, unless all rows are."""
    kept = [row for row in released if set(row[:-1]) != {"*"}] or released
    left_out = len(original) - len(kept)
    meant = [meanings({row[place] for row in kept}, tree) for place, tree in enumerate(trees)]
    level = loss = float(left_out * len(trees))  # a row left out has lost every cell
    for place, tree in enumerate(trees):
        for label, rows in Counter(row[place] for row in kept).items():
            leaves, height = meant[place][label]
            loss += rows * max(len(leaves) - 1, 0) / (len(tree[0]) - 1)
            level += rows * height / (len(tree) - 1)
    sizes = Counter(row[:-1] for row in kept)
    ranges = [tuple(meant[place][cell][0] for place, cell in enumerate(row[:-1])) for row in kept]
    values = [row[-1] for row in kept]
    cells = len(original) * len(trees)
    return {
        "smallest": min(sizes.values()),
        "classes": len(sizes),
        "left_out": left_out,
        "dm": sum(size * size for size in sizes.values()) + left_out * len(original),
        "prec": None if math.isnan(level) else 1 - level / cells,
        "loss": loss / cells,
        "untrue": unmatched(original, ranges, values),
        "starred": len(released) - len(kept),
        "empty": sum(cell.lower() in EMPTY for row in kept for cell in row),
        "respelled": len(sizes) - len(set(ranges)),
        "in_order": in_order(original, ranges, values),
        "columns_added": list(beside),
        "row_numbers": [
            name for name, cells in beside.items() if numbers(cells, original, ranges, values)
        ],
    }


def faults(found: Found, k: int, most: int) -> Iterator[str]:
    """What a data holder should know before handing the release over."""
    if found["smallest"] < k:
        yield f"k does not hold: the smallest class has {found['smallest']} rows"
    if found["left_out"] > most:
        yield f"{found['left_out']:,} rows left out, {most:,} allowed"
    if found["left_out"] < 0:
        yield f"{-found['left_out']:,} rows more than the original has"
    if found["starred"]:
        yield f"{found['starred']:,} of the rows left out are there, starred throughout"
    if found["empty"]:
        yield f"{found['empty']:,} empty cells"
    if found["untrue"]:
        yield f"{found['untrue']:,} released rows are true of no original row of their own"
    if found["respelled"]:
        yield f"{found['respelled']:,} classes say the same as another, spelled differently"
    if found["in_order"]:
        yield "the rows stand in the order of the original"
    for name in found["columns_added"]:
        what = ", each row's number in the original" if name in found["row_numbers"] else ""
        yield f"releases a column that it was not given: {name}{what}"


def meanings(labels: set[str], tree: Tree) -> dict[str, tuple[frozenset[str], float]]:
    """For each label of a column the leaves it stands for and its level, nan if it has none.

    If all are of the hierarchy, the hierarchy says. Otherwise a label is a leaf, an interval of
    numbers or a list of leaves, as it says itself; one that is none of these covers nothing.
    """
    levels = {label: level for level in reversed(range(len(tree))) for label in tree[level]}
    if labels <= levels.keys():
        return {label: (tree[levels[label]][label], levels[label]) for label in labels}
    meant = {}
    for label in labels:
        ends = INTERVAL.fullmatch(label)
        leaves = {part.strip() for part in label.strip("{}[]").split(",")}
        if ends:
            low, high = int(ends[1]), int(ends[2])
            leaves = {leaf for leaf in tree[0] if leaf.isdecimal() and low <= int(leaf) <= high}
        elif not leaves <= tree[0].keys():
            leaves = set(tree[levels[label]][label]) if label in levels else set()
        meant[label] = (frozenset(leaves), 0 if label in tree[0] else math.nan)
    return meant


def unmatched(original: list[Row], ranges: list[Range], values: list[str]) -> int:
    """How many released rows have no original row of their own that they are true of. Exact.

    Released rows that say the same are a taker, original rows that do are a heap. Takers take from
    the heaps they cover; where nothing is left, exchanges are tried (Ford and Fulkerson 1956).
    """
    wanted, heaps = Counter(zip(ranges, values, strict=True)), Counter(original)
    covered = coverage(list(wanted), list(heaps))
    left = list(heaps.values())
    given: list[Counter[int]] = [Counter() for _ in left]
    missing = 0
    for taker, rows in enumerate(wanted.values()):
        want = rows
        while want and (chain := exchange(taker, covered, given, left)):
            last = chain[0][0]
            moved = min([want, left[last], *(given[heap][loser] for heap, _, loser in chain[1:])])
            left[last] -= moved
            for heap, winner, loser in chain:
                given[heap][winner] += moved
                given[heap][loser] -= moved
            want -= moved
        missing += want
    return missing


def exchange(
    taker: int, covered: list[list[int]], given: list[Counter[int]], left: list[int]
) -> list[tuple[int, int, int]]:
    """The shortest chain of (heap, who wins it, who loses it) from a heap with rows left."""
    wins: dict[int, int] = {}  # heap to winner
    loses = {taker: -1}  # loser to heap
    queue = deque([taker])
    while queue:
        winner = queue.popleft()
        for heap in covered[winner]:
            if heap in wins:
                continue
            wins[heap] = winner
            if left[heap]:
                chain = [(heap, winner, -1)]
                while winner != taker:
                    chain.append((loses[winner], wins[loses[winner]], winner))
                    winner = wins[loses[winner]]
                return chain
            for other in given[heap]:
                if other not in loses and given[heap][other] > 0:
                    loses[other] = heap
                    queue.append(other)
    return []


def coverage(released: list[tuple[Range, str]], rows: list[Row]) -> list[list[int]]:
    """For each kind of released row the original ones that it is true of.

    A set of kinds is an integer, one bit each: those true of a row are the intersection, over its
    cells, of those true of the cell.
    """
    true_of_cell: list[dict[str, int]] = [defaultdict(int) for _ in rows[0]]
    for number, (ranged, value) in enumerate(released):
        for true, cells in zip(true_of_cell, (*ranged, (value,)), strict=True):
            for cell in cells:
                true[cell] |= 1 << number
    covered: list[list[int]] = [[] for _ in released]
    for place, row in enumerate(rows):
        kinds = -1
        for true, cell in zip(true_of_cell, row, strict=True):
            kinds &= true.get(cell, 0)
        while kinds:
            covered[kinds.bit_length() - 1].append(place)
            kinds ^= 1 << (kinds.bit_length() - 1)
    return covered


def in_order(original: list[Row], ranges: list[Range], values: list[str]) -> bool:
    """Whether the release, row by row, can be the original with rows left out."""
    rows = iter(original)
    released = zip(ranges, values, strict=True)
    return all(any(true_of(row, ranged, value) for row in rows) for ranged, value in released)


def numbers(cells: Row, original: list[Row], ranges: list[Range], values: list[str]) -> bool:
    """Whether a column holds the number that each released row has in the original."""
    return len(cells) == len(ranges) and all(
        cell.isdecimal()
        and int(cell) < len(original)
        and true_of(original[int(cell)], ranged, value)
        for cell, ranged, value in zip(cells, ranges, values, strict=True)
    )


def true_of(row: Row, ranged: Range, value: str) -> bool:
    return row[-1] == value and all(
        cell in leaves for cell, leaves in zip(row[:-1], ranged, strict=True)
    )


def odd_labels(trees: dict[str, Tree]) -> Iterator[str]:
    """Hierarchies with numbers outside the interval that their label names."""
    for name, tree in trees.items():
        outside = {
            leaf
            for label, leaves in (item for labels in tree for item in labels.items())
            for leaf in leaves
            if leaf.isdecimal() and (ends := INTERVAL.fullmatch(label))
            if not int(ends[1]) <= int(leaf) <= int(ends[2])
        }
        if outside:
            yield (
                f"the hierarchy of {name} puts {len(outside)} of its {len(tree[0])} leaves under "
                "an interval that does not hold them; taken at its word here"
            )


def read(path: str, separator: str, columns: Row) -> tuple[list[Row], dict[str, Row]]:
    """The rows over these columns, and the columns beside them."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        head, *lines = csv.reader(file, delimiter=separator)
    places = [head.index(name) for name in columns]
    rows = [tuple(line[place] for place in places) for line in lines]
    others = [place for place in range(len(head)) if place not in places]
    return rows, {head[place]: tuple(line[place] for line in lines) for place in others}


def read_tree(path: str) -> Tree:
    with Path(path).open(encoding="utf-8", newline="") as file:
        lines = [line for line in csv.reader(file, delimiter=";") if line]
    tree: list[dict[str, set[str]]] = [defaultdict(set) for _ in lines[0]]
    for line in lines:
        for labels, label in zip(tree, line, strict=True):
            labels[label].add(line[0])
    return [{label: frozenset(leaves) for label, leaves in labels.items()} for labels in tree]


if __name__ == "__main__":
    main()
