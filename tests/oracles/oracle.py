"""The oracle: what a full-domain recoding costs, and which is best, computed the slow plain way.

It works on rows, one at a time, with lists, dicts and fractions, and shares no code with the
package it checks. The nouns:

rows         list of tuples of leaf values, one value per quasi-identifier
hierarchies  list, one per quasi-identifier, of dict: declared leaf -> [level 0, level 1, ..., top];
             a declared leaf need not occur in the rows; the height is the index of the top level
weights      list of numbers, one per quasi-identifier, not all zero
levels       a node of the lattice: tuple of levels, one per quasi-identifier
k            a class smaller than k is suppressed, whole
allowance    how many rows may be suppressed
classes      list of class labels, one per row (only the classification cost reads it)

Every cost has the same signature, ``cost(rows, hierarchies, weights, k, levels, classes=None)``,
smaller is better. A cost is an exact ``Fraction`` or ``int``, except where a root or a logarithm
makes it a float.
"""

import itertools
import math
import random
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

TIE = 1e-9  # two float costs this close count as equal


# --- recoding and classes -----------------------------------------------------------------------


def heights(hierarchies):
    """The height of each hierarchy: how many times a leaf can be generalized."""
    found = []
    for hierarchy in hierarchies:
        lengths = {len(labels) for labels in hierarchy.values()}
        assert len(lengths) == 1, "every leaf of a hierarchy has as many labels as the others"
        found.append(lengths.pop() - 1)
    return found


def recode(rows, hierarchies, levels):
    """The rows with every value replaced by its label at the level of its attribute."""
    recoded = []
    for row in rows:
        labels = []
        for value, hierarchy, level in zip(row, hierarchies, levels, strict=True):
            labels.append(hierarchy[value][level])
        recoded.append(tuple(labels))
    return recoded


def classes_of(recoded):
    """Who looks alike: dict from released tuple to the indices of the rows that show it."""
    members = {}
    for index, row in enumerate(recoded):
        members.setdefault(row, []).append(index)
    return members


def kept_classes(rows, hierarchies, levels, k):
    """The classes of k rows or more, each a list of row indices."""
    members = classes_of(recode(rows, hierarchies, levels))
    return [indices for indices in members.values() if len(indices) >= k]


def suppressed(rows, hierarchies, levels, k):
    """The indices of the rows in classes smaller than k."""
    members = classes_of(recode(rows, hierarchies, levels))
    return sorted(i for indices in members.values() if len(indices) < k for i in indices)


def feasible(rows, hierarchies, levels, k, allowance):
    """At most ``allowance`` rows are suppressed, and at least one row is kept."""
    return len(suppressed(rows, hierarchies, levels, k)) <= min(allowance, len(rows) - 1)


# --- costs --------------------------------------------------------------------------------------


def precision_cost(rows, hierarchies, weights, k, levels, classes=None):
    """1 - Prec (Sweeney 2002, Def. 5), weighted.

    sum over cells of w_a * level_a / height_a, divided by |PT| * sum of w_a. A suppressed row
    stays in |PT| and each of its cells counts 1, as if it were at the top of its hierarchy.
    """
    total = Fraction(0)
    gone = set(suppressed(rows, hierarchies, levels, k))
    for index in range(len(rows)):
        for weight, level, height in zip(weights, levels, heights(hierarchies), strict=True):
            share = Fraction(1) if index in gone else Fraction(level, height)
            total += Fraction(weight) * share
    return total / (len(rows) * _sum(weights))


def discernibility_cost(rows, hierarchies, weights, k, levels, classes=None):
    """DM (Bayardo and Agrawal 2005): sum over kept classes of |E|^2, plus |D| * suppressed rows."""
    squares = sum(len(members) ** 2 for members in kept_classes(rows, hierarchies, levels, k))
    return squares + len(rows) * len(suppressed(rows, hierarchies, levels, k))


def classification_cost(rows, hierarchies, weights, k, levels, classes=None):
    """CM (Iyengar, in Bayardo and Agrawal 2005), not normalised.

    sum over kept classes of the rows outside the majority label, plus suppressed rows.
    """
    minority = 0
    for members in kept_classes(rows, hierarchies, levels, k):
        labels = Counter(classes[i] for i in members)
        minority += len(members) - max(labels.values())
    return minority + len(suppressed(rows, hierarchies, levels, k))


def attribute_losses(rows, hierarchies, k, levels):
    """L_a per attribute: the mean over rows of (leaves under the value - 1) / (leaves - 1).

    Leaves are the declared ones. A suppressed row counts 1. A hierarchy that declares one leaf
    loses 0 by generalizing and 1 by suppression.
    """
    gone = set(suppressed(rows, hierarchies, levels, k))
    losses = []
    for attribute, (hierarchy, level) in enumerate(zip(hierarchies, levels, strict=True)):
        total = Fraction(0)
        for index, row in enumerate(rows):
            if index in gone:
                total += 1
            elif len(hierarchy) > 1:
                released = hierarchy[row[attribute]][level]
                under = [leaf for leaf in hierarchy if hierarchy[leaf][level] == released]
                total += Fraction(len(under) - 1, len(hierarchy) - 1)
        losses.append(total / len(rows))
    return losses


def loss_cost(rows, hierarchies, weights, k, levels, classes=None, aggregate="mean"):
    """Loss, of the L_a of ``attribute_losses``.

    mean: sum of w_a * L_a / sum of w_a.
    geometric: (product of (1 + L_a)^w_a)^(1 / sum of w_a) - 1.
    """
    losses = attribute_losses(rows, hierarchies, k, levels)
    if aggregate == "mean":
        weighted = [Fraction(w) * loss for w, loss in zip(weights, losses, strict=True)]
        return sum(weighted, Fraction(0)) / _sum(weights)
    if aggregate == "geometric":
        product = 1.0
        for weight, loss in zip(weights, losses, strict=True):
            product *= float(1 + loss) ** float(weight)
        return product ** (1 / float(_sum(weights))) - 1
    raise ValueError(f"aggregate is {aggregate!r}; use mean or geometric")


def geometric_loss_cost(rows, hierarchies, weights, k, levels, classes=None):
    """``loss_cost`` with the geometric aggregate, under a name of its own."""
    return loss_cost(rows, hierarchies, weights, k, levels, classes, aggregate="geometric")


def class_size_cost(rows, hierarchies, weights, k, levels, classes=None):
    """Rows / (kept classes + 1 if any row is suppressed): suppressed rows look all alike."""
    shown = len(kept_classes(rows, hierarchies, levels, k))
    if suppressed(rows, hierarchies, levels, k):
        shown += 1
    return Fraction(len(rows), shown)


def entropy_cost(rows, hierarchies, weights, k, levels, classes=None):
    """Non-uniform entropy (de Waal and Willenborg; Gionis and Tassa), in bits.

    A cell costs -log2(n(original value) / n(released value)): n counts rows of the whole table
    that hold the original value, or whose original value generalizes to the released value at
    that level. For a suppressed row the released value covers every row: n is |rows|.
    The total is the mean over rows of the weighted mean over attributes.
    """
    gone = set(suppressed(rows, hierarchies, levels, k))
    total = 0.0
    for attribute, (hierarchy, level) in enumerate(zip(hierarchies, levels, strict=True)):
        column = [row[attribute] for row in rows]
        bits = 0.0
        for index, value in enumerate(column):
            same = sum(1 for other in column if other == value)
            if index in gone:
                covered = len(rows)
            else:
                released = hierarchy[value][level]
                covered = sum(1 for other in column if hierarchy[other][level] == released)
            bits += math.log2(covered / same)
        total += float(Fraction(weights[attribute]) / _sum(weights)) * bits / len(rows)
    return total


def height_cost(rows, hierarchies, weights, k, levels, classes=None):
    """The height of the node: the plain sum of its levels; suppression is not counted."""
    return sum(levels)


COSTS = {
    "precision": precision_cost,
    "discernibility": discernibility_cost,
    "classification": classification_cost,
    "loss": loss_cost,
    "geometric loss": geometric_loss_cost,
    "class size": class_size_cost,
    "entropy": entropy_cost,
    "height": height_cost,
}


def _sum(weights):
    total = sum((Fraction(weight) for weight in weights), Fraction(0))
    if total <= 0:
        raise ValueError("the weights are all zero; at least one must be positive")
    return total


# --- searches -----------------------------------------------------------------------------------


def all_nodes(hierarchies, low=None, high=None):
    """Every node with low <= levels <= high (both included), finest first."""
    low = [0] * len(hierarchies) if low is None else low
    high = heights(hierarchies) if high is None else high
    ranges = [range(least, most + 1) for least, most in zip(low, high, strict=True)]
    return list(itertools.product(*ranges))


def feasible_nodes(rows, hierarchies, k, allowance, low=None, high=None):
    """Every node that is feasible."""
    nodes = all_nodes(hierarchies, low, high)
    return [node for node in nodes if feasible(rows, hierarchies, node, k, allowance)]


def brute_force(rows, hierarchies, weights, k, allowance, cost, classes=None, low=None, high=None):
    """(best cost, all optimal nodes) by trying every node; (None, []) if none is feasible.

    Exact costs tie when they are equal, floats when they differ by less than ``TIE``.
    """
    priced = []
    for node in feasible_nodes(rows, hierarchies, k, allowance, low, high):
        priced.append((cost(rows, hierarchies, weights, k, node, classes), node))
    if not priced:
        return None, []
    best = min(price for price, _ in priced)
    slack = TIE if isinstance(best, float) else 0
    return best, [node for price, node in priced if price <= best + slack]


def finer_or_equal(one, other):
    """Is ``one`` at most as general as ``other`` in every attribute?"""
    return all(a <= b for a, b in zip(one, other, strict=True))


def k_minimal_generalizations(rows, hierarchies, k, allowance, low=None, high=None):
    """Sweeney 2002, Def. 4, attribute level: feasible nodes with no other feasible node below."""
    nodes = feasible_nodes(rows, hierarchies, k, allowance, low, high)
    minimal = []
    for node in nodes:
        below = [other for other in nodes if other != node and finer_or_equal(other, node)]
        if not below:
            minimal.append(node)
    return minimal


def samarati_height(rows, hierarchies, k, allowance, low=None, high=None):
    """The least height (sum of levels) of a feasible node, or None."""
    nodes = feasible_nodes(rows, hierarchies, k, allowance, low, high)
    return min((sum(node) for node in nodes), default=None)


# --- tiny random problems -----------------------------------------------------------------------


@dataclass(frozen=True)
class TinyProblem:
    """A problem small enough to settle by trying everything."""

    rows: list
    hierarchies: list
    weights: list
    k: int
    allowance: int
    classes: list
    low: tuple
    high: tuple

    def cost(self, cost, levels):
        """The cost of one node."""
        return cost(self.rows, self.hierarchies, self.weights, self.k, levels, self.classes)

    def feasible(self, levels):
        """Is the node feasible (its level bounds aside)?"""
        return feasible(self.rows, self.hierarchies, levels, self.k, self.allowance)

    def best(self, cost):
        """``brute_force`` within the level bounds."""
        return brute_force(
            self.rows,
            self.hierarchies,
            self.weights,
            self.k,
            self.allowance,
            cost,
            self.classes,
            self.low,
            self.high,
        )


def random_problem(rng: random.Random) -> TinyProblem:
    """1-4 quasi-identifiers of height 1-4, 1-14 rows, k 2-4; some problems have no solution."""
    hierarchies = [_random_hierarchy(rng, a) for a in range(rng.randint(1, 4))]
    rows = _random_rows(rng, hierarchies)
    some = rng.randint(0, len(rows))
    low, high = _random_bounds(rng, hierarchies)
    return TinyProblem(
        rows=rows,
        hierarchies=hierarchies,
        weights=_random_weights(rng, len(hierarchies)),
        k=rng.randint(2, 4),
        allowance=rng.choice([0, 1, some, len(rows)]),
        classes=_random_classes(rng, len(rows)),
        low=low,
        high=high,
    )


def _random_hierarchy(rng, attribute):
    """Nested: each level merges whole groups of the level below; the groups may be lopsided."""
    height = rng.randint(1, 4)
    leaves = [f"q{attribute}v{leaf}" for leaf in range(rng.choice([1, 2, 2, 3, 3, 4, 5, 6]))]
    keeps_names = rng.random() < 0.3  # a group that did not grow may keep its name
    paths = {leaf: [leaf] for leaf in leaves}
    groups = [[leaf] for leaf in leaves]
    for level in range(1, height):
        merged = []
        for group in groups:
            if merged and rng.random() < 0.4:
                rng.choice(merged).extend(group)
            else:
                merged.append(list(group))
        for number, group in enumerate(merged):
            grew = sorted(group) not in [sorted(old) for old in groups]
            for leaf in group:
                old_name = paths[leaf][-1]
                keep = keeps_names and not grew
                paths[leaf].append(old_name if keep else f"q{attribute}level{level}no{number}")
        groups = merged
    return {leaf: [*path, "*"] for leaf, path in paths.items()}


def _random_rows(rng, hierarchies):
    """Rows over some of the declared leaves; half of the time most rows repeat a few."""
    used = []
    for hierarchy in hierarchies:
        leaves = list(hierarchy)
        used.append(rng.sample(leaves, rng.randint(1, len(leaves))))
    pool = [tuple(rng.choice(leaves) for leaves in used) for _ in range(rng.randint(1, 4))]
    repeats = 0.7 if rng.random() < 0.5 else 0.0
    rows = []
    for _ in range(rng.randint(1, 14)):
        fresh = tuple(rng.choice(leaves) for leaves in used)
        rows.append(rng.choice(pool) if rng.random() < repeats else fresh)
    return rows


def _random_weights(rng, count):
    """Equal, or whole and half numbers; now and then one weight is zero, never all."""
    if rng.random() < 0.4:
        return [1] * count
    weights = [rng.choice([0.5, 1, 1.5, 2, 3, 5]) for _ in range(count)]
    if count > 1 and rng.random() < 0.25:
        weights[rng.randrange(count)] = 0
    return weights


def _random_classes(rng, count):
    labels = ["yes", "no", "perhaps"][: rng.randint(2, 3)]
    return [rng.choice(labels) for _ in range(count)]


def _random_bounds(rng, hierarchies):
    """The whole lattice, or now and then a box inside it."""
    low, high = [], []
    bounded = rng.random() < 0.25
    for height in heights(hierarchies):
        least = rng.randint(0, height) if bounded else 0
        low.append(least)
        high.append(rng.randint(least, height) if bounded else height)
    return tuple(low), tuple(high)
