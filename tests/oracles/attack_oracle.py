"""A linking attack by brute force: every person against every row, every label read anew.

Written from the forms that the documentation gives, with none of the attack's own code.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from lookalike.policy.hierarchies.bands import Bands
from lookalike.policy.hierarchies.dates import Dates
from lookalike.policy.hierarchies.flat import Flat
from lookalike.policy.hierarchies.ordered import Ordered
from lookalike.policy.hierarchies.prefix import Prefix
from lookalike.policy.hierarchies.tree import Tree


def as_number(text):
    try:
        found = Decimal(text)
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def as_day(text, hierarchy):
    way = hierarchy.format if isinstance(hierarchy, Dates) and hierarchy.format else "%Y-%m-%d"
    try:
        return datetime.strptime(text, way).date()
    except ValueError:
        return None


def stretch(text):
    """First and last day of a label of the calendar."""
    if m := re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", text):
        return text, text
    if m := re.fullmatch(r"(\d{4})-(\d\d)", text):
        return f"{text}-01", f"{text}-31"
    if m := re.fullmatch(r"(\d{4})-Q(\d)", text):
        last = 3 * int(m[2])
        return f"{m[1]}-{last - 2:02d}-01", f"{m[1]}-{last:02d}-31"
    if m := re.fullmatch(r"(\d{4})(?:–(\d{4}))?", text):
        return f"{m[1]}-01-01", f"{m[2] or m[1]}-12-31"
    return None


def covers(label, value, hierarchy=None):
    """Does the label cover the value? Both are text or None."""
    if label is None or label == "*":
        return label == "*" or value is None
    if value is not None and same(label, value, hierarchy):
        return True
    inside = label
    while inside.startswith("(") and inside.endswith(")"):
        inside = inside[1:-1]
    if inside.endswith(" or missing"):
        return value is None or phrase(inside.removesuffix(" or missing"), value, hierarchy)
    return value is not None and phrase(inside, value, hierarchy)


def same(label, value, hierarchy):
    if label == value:
        return True
    if isinstance(hierarchy, Tree):
        return any(row[0] == value and label in row for row in hierarchy.rows)
    if isinstance(hierarchy, Ordered):
        if value not in hierarchy.values:
            return False
        at = hierarchy.values.index(value)
        for width in hierarchy.widths:
            group = hierarchy.values[at // width * width :][:width]
            if label == f"{group[0]}–{group[-1]}" or [label] == list(group):
                return True
        return False
    numbers = as_number(label), as_number(value)
    return None not in numbers and numbers[0] == numbers[1]


def phrase(label, value, hierarchy):
    if same(label, value, hierarchy) or label == "not missing":
        return True
    if m := re.fullmatch(r"\{(.+) … (.+), \d+ (?:values|groups)\}", label):
        return between(item(m[1]), item(m[2]), value, hierarchy)
    if label.startswith("{"):
        items = re.findall(r'"(?:[^"\\]|\\.)*"|[^,{}"]+', label)
        return any(phrase(item(one.strip()), value, hierarchy) for one in items if one.strip())
    if isinstance(hierarchy, Tree | Ordered | Flat):
        return False
    found = False
    if not isinstance(hierarchy, Dates | Prefix):
        found |= in_numbers(label, value)
    if not isinstance(hierarchy, Bands | Prefix):
        found |= in_days(label, value, hierarchy)
    if not isinstance(hierarchy, Bands | Dates):
        found |= "*" in label and masked(label, value)
    return found


def item(text):
    return json.loads(text) if text.startswith('"') else text


def between(first, last, value, hierarchy):
    if isinstance(hierarchy, Ordered):
        order = list(hierarchy.values)
        groups = {leaf: [leaf] for leaf in order}
        for width in hierarchy.widths:
            for at in range(0, len(order), width):
                group = order[at : at + width]
                groups[f"{group[0]}–{group[-1]}" if len(group) > 1 else group[0]] = group
    elif isinstance(hierarchy, Tree):
        order = preorder(hierarchy.rows)
        groups = {}
        for row in hierarchy.rows:
            for name in set(row):
                groups.setdefault(name, []).append(row[0])
    else:
        return False
    if value not in order:
        return False
    low = min(map(order.index, groups[first]))
    high = max(map(order.index, groups[last]))
    return low <= order.index(value) <= high


def preorder(rows):
    """Leaves as declared, with the members of each group together, from the top group down."""
    if not rows:
        return []
    width = len(rows[0])

    def walk(some, level):
        if level == 0:
            return [row[0] for row in some]
        found = []
        for name in dict.fromkeys(row[level] for row in some):
            found += walk([row for row in some if row[level] == name], level - 1)
        return found

    return walk(list(rows), width - 1)


def in_numbers(label, value):
    size = as_number(value)
    if size is None:
        return False
    n = r"(-?\d+(?:\.\d+)?)"
    if m := re.fullmatch(rf"≤{n}", label):
        return size <= Decimal(m[1])
    if m := re.fullmatch(rf"<{n}", label):
        return size < Decimal(m[1])
    if m := re.fullmatch(rf"≥{n}", label):
        return size >= Decimal(m[1])
    if m := re.fullmatch(rf"\[{n}, {n}\)", label):
        return Decimal(m[1]) <= size < Decimal(m[2])
    if m := re.fullmatch(rf"\[?{n}(?:–| to ){n}\]?", label):
        return Decimal(m[1]) <= size <= Decimal(m[2])
    return False


def in_days(label, value, hierarchy):
    day = as_day(value, hierarchy)
    if day is None:
        return False
    read = as_day(label, hierarchy)
    if read is not None:
        return read == day
    text = day.isoformat()
    first, _, last = label.strip("[]").partition(" … ")
    begin, end = stretch(first.lstrip("≤≥")), stretch((last or first).lstrip("≤≥"))
    if begin is None or end is None:
        return False
    low = "" if label.startswith("≤") else begin[0]
    high = "9999-99" if label.startswith("≥") else end[1]
    return low <= text <= high


def masked(label, value):
    """Character by character: a ``*`` is any one character or none."""
    if not label:
        return not value
    if label[0] == "*":
        return masked(label[1:], value) or (bool(value) and masked(label[1:], value[1:]))
    return bool(value) and label[0] == value[0] and masked(label[1:], value[1:])


def fits(row, person, hierarchies):
    return all(map(covers, row, person, hierarchies))


def attack(rows, kept, people, hierarchies):
    """``rows`` and ``people`` are tuples of text over the known columns; ``kept`` a value a row."""
    candidates = [[r for r, row in enumerate(rows) if fits(row, p, hierarchies)] for p in people]
    fitted = Counter(r for found in candidates for r in found)
    reached = [found for found in candidates if found]
    share = {value: Fraction(count, len(rows)) for value, count in Counter(kept).items()}
    posteriors = [
        {value: Fraction(n, len(found)) for value, n in Counter(kept[r] for r in found).items()}
        for found in reached
    ]
    gains = [(p, share[value]) for one in posteriors for value, p in one.items()]
    fewest = min((len(found) for found in reached), default=0)
    return {
        "nobody": len(people) - len(reached),
        "one_row": sum(len(found) == 1 for found in candidates),
        "certain": sum(len(found) == 1 and fitted[found[0]] == 1 for found in candidates),
        "fewest": fewest,
        "mean": sum(Fraction(1, len(found)) for found in reached) / max(1, len(reached)),
        "homogeneous": sum(len(one) == 1 for one in posteriors),
        "certainty": max((p for p, before in gains if p > before), default=0),
        "ratio": max((p / before for p, before in gains), default=0),
        "gain": max((p - before for p, before in gains), default=0),
        "nearly_sure": sum(max(one.values()) > Fraction(9, 10) for one in posteriors),
        "doubled": sum(any(p >= 2 * share[v] for v, p in one.items()) for one in posteriors),
        "candidates": candidates,
    }


def both(first, second, people, hierarchies):
    """Two releases, each of rows and kept values: what is left of values and of rows."""
    ones = nones = one_row = 0
    left = []
    for person in people:
        sides = [
            Counter(v for row, v in zip(*side, strict=True) if fits(row, person, hierarchies))
            for side in (first, second)
        ]
        if not all(sides):
            continue
        shared = sides[0] & sides[1]  # the smaller of the two counts
        ones += len(shared) == 1 and min(map(len, sides)) > 1
        nones += not shared
        left.append(shared.total())
        one_row += shared.total() == 1 and min(side.total() for side in sides) > 1
    return {
        "people": len(left),
        "one_left": ones,
        "none_left": nones,
        "one_row": one_row,
        "fewest": min((n for n in left if n), default=0),
    }
