"""Every requirement on a sensitive column with what the papers' oracle says of it.

``keeps`` judges a whole table. ``one`` judges a single class against the table it is released in,
put together from the oracle's own parts, for brute force over recodings.
"""

import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import privacy_oracle as papers

import lookalike as la

VALUES = ["1", "2", "3", "4", "5", "6"]
TREE = {
    "low": {"lowest": ["1"], "lower": ["2", "3"]},
    "high": {"higher": ["4", "5"], "highest": ["6"]},
}
PATHS = {
    leaf: [leaf, group, top, "any"]
    for top, groups in TREE.items()
    for group, leaves in groups.items()
    for leaf in leaves
}


@dataclass(frozen=True)
class Case:
    name: str
    rule: la.KAnonymity
    keeps: Callable[[list], bool]
    one: Callable[[dict, dict], bool]


def exactly(number: float) -> Fraction:
    """As it is written, not as floats have it."""
    return Fraction(str(number))


def cases(rng: random.Random, column: str = "label") -> list[Case]:
    """One of each, with numbers that tables of a few rows sometimes keep."""
    ell, c = rng.randint(2, 3), rng.choice([1.5, 2.0, 3.0])
    real = rng.choice([1.5, 2.0, 2.5])
    alpha, k = rng.choice([0.4, 0.5, 0.75]), rng.randint(2, 3)
    beta, delta = rng.choice([0.25, 0.5, 1.0, 2.0]), rng.choice([0.5, 1.0, 1.7])
    value = rng.choice(VALUES)
    t = rng.choice([0.125, 0.2, 0.3, 0.5])
    distances = {
        "equal": (la.Equal(), lambda table: papers.equal_distance),
        "ordered": (la.Ordered(), lambda table: papers.ordered_distance([table], VALUES)),
        "listed": (
            la.Ordered(tuple(reversed(VALUES))),
            lambda table: papers.ordered_distance([table], VALUES[::-1]),
        ),
        "hierarchical": (
            la.Hierarchical(la.tree({"any": TREE})),
            lambda table: papers.hierarchical_distance(PATHS),
        ),
    }
    found = [
        Case(
            "distinct",
            la.DistinctDiversity(column, ell),
            lambda classes: papers.distinct_l_diverse(classes, ell),
            lambda one, table: papers.distinct_l_diverse([one], ell),
        ),
        Case(
            "entropy",
            la.EntropyDiversity(column, real),
            lambda classes: papers.entropy_l_diverse(classes, real),
            lambda one, table: papers.entropy_l_diverse([one], real),
        ),
        Case(
            "recursive",
            la.RecursiveDiversity(column, c, ell),
            lambda classes: papers.recursive_diverse(classes, exactly(c), ell),
            lambda one, table: papers.recursive_diverse([one], exactly(c), ell),
        ),
        Case(
            "alpha-k",
            la.AlphaK(column, alpha, k),
            lambda classes: papers.alpha_k_anonymous(classes, exactly(alpha), k),
            lambda one, table: papers.alpha_k_anonymous([one], exactly(alpha), k),
        ),
        Case(
            "alpha-k of one value",
            la.AlphaK(column, alpha, k, value),
            lambda classes: papers.alpha_k_anonymous(classes, exactly(alpha), k, [value]),
            lambda one, table: papers.alpha_k_anonymous([one], exactly(alpha), k, [value]),
        ),
        Case(
            "basic beta",
            la.BetaLikeness(column, beta),
            lambda classes: papers.basic_beta_like(classes, exactly(beta)),
            lambda one, table: all((q - p) / p <= exactly(beta) for p, q in shares(one, table)),
        ),
        Case(
            "enhanced beta",
            la.BetaLikeness(column, beta, "enhanced"),
            lambda classes: papers.enhanced_beta_like(classes, exactly(beta)),
            lambda one, table: all(
                (q - p) / p <= min(exactly(beta), -math.log(p))
                for p, q in shares(one, table)
                if q > p
            ),
        ),
        Case(
            "delta disclosure",
            la.DeltaDisclosure(column, delta),
            lambda classes: papers.delta_disclosure_private(classes, delta),
            lambda one, table: all(
                q > 0 and abs(math.log(q / p)) < delta for p, q in shares(one, table)
            ),
        ),
    ]
    for name, (distance, ground) in distances.items():
        found.append(
            Case(
                f"t-closeness, {name}",
                la.TCloseness(column, t, distance),
                lambda classes, ground=ground: papers.t_close(
                    classes, exactly(t), ground(papers.whole(classes))
                ),
                lambda one, table, ground=ground: (
                    papers.emd(one, table, ground(table)) <= exactly(t)
                ),
            )
        )
    return found


def shares(one: dict, table: dict) -> list[tuple[Fraction, Fraction]]:
    """(p, q) for every value of the table."""
    return [(papers.share(table, value), papers.share(one, value)) for value in table]


def random_classes(rng: random.Random) -> list[dict[str, int]]:
    """Some classes; half of the time all hold nearly the same."""
    many = rng.randint(1, 5)
    values = rng.sample(VALUES, rng.randint(1, len(VALUES)))
    if rng.random() < 0.5:
        common = {value: rng.randint(1, 4) for value in values}
        scaled = [{v: n * rng.randint(1, 3) for v, n in common.items()} for _ in range(many)]
        if rng.random() < 0.5:
            scaled[0].pop(values[0])
        return [one for one in scaled if one]
    return [
        dict(Counter(rng.choice(values) for _ in range(rng.randint(1, 9)))) for _ in range(many)
    ]
