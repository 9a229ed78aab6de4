"""Reproduce ARX's own expected results for differential privacy on Adult, and with them its k.

    uv run python benchmarks/arx_private_releases.py --data DIR

ARX's tests draw the sample with ``java.util.Random`` and a fixed seed, so their expected loss
(TestAnonymizationDifferentialPrivacy) can be computed from the definitions alone: sample, recode,
leave out classes of fewer than k, geometric Loss. Printed is which k fits.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections import Counter
from pathlib import Path

from lookalike.privacy.sampling_privacy import sampling_probability, smallest_k

SEED = 0xDEADBEEF - (1 << 32)  # an int in Java
LOW_MEDIUM = (0, 2, 0, 1, 1, 1, 1, 1, 0)
MEDIUM = (1, 2, 1, 1, 2, 1, 1, 1, 1)
HIGH = (1, 3, 1, 2, 2, 2, 2, 2, 1)
EXPECTED = [  # ε, δ, levels, loss
    (2.0, 1e-5, LOW_MEDIUM, 0.6820705793543056),
    (1.5, 1e-6, HIGH, 0.8112222411559193),
    (math.log(2), 1e-7, LOW_MEDIUM, 0.7437618217405468),
    (math.log(3), 1e-8, MEDIUM, 0.6092780386290699),
    (2.0, 1e-5, MEDIUM, 0.5968589299712612),
    (1.5, 1e-6, LOW_MEDIUM, 0.6856395441402736),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="adult.csv and its hierarchies")
    folder = parser.parse_args().data
    names, *rows = read(folder / "adult.csv")
    trees = [{row[0]: row for row in read(folder / f"adult_hierarchy_{n}.csv")} for n in names]
    drawn = java_doubles(len(rows))
    fitting: dict[tuple[float, float], set[int]] = {}
    for epsilon, delta, node, expected in EXPECTED:
        beta = sampling_probability(epsilon)
        k = smallest_k(epsilon, delta, beta)
        sample = [row for row, number in zip(rows, drawn, strict=True) if number < beta]
        fits = set()
        for tried in range(k - 2, k + 4):
            found = loss(sample, trees, node, tried)
            fits |= {tried} if math.isclose(found, expected, abs_tol=1e-9) else set()
        both = fitting.setdefault((epsilon, delta), fits)
        both &= fits
        print(
            f"ε={epsilon:.4g} δ={delta:g} loss {expected:.10f}: k = {sorted(both)}; smallest k {k}"
        )


def read(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [row for row in csv.reader(file, delimiter=";") if row]


def java_doubles(count: int) -> list[float]:
    """``java.util.Random.nextDouble``: two steps of a linear congruential generator of 48 bits."""
    state, numbers = (SEED ^ 0x5DEECE66D) % 2**48, []
    for _ in range(count):
        parts = []
        for bits in (26, 27):
            state = (state * 0x5DEECE66D + 0xB) % 2**48
            parts.append(state >> (48 - bits))
        numbers.append(((parts[0] << 27) + parts[1]) / 2**53)
    return numbers


def loss(
    sample: list[list[str]], trees: list[dict[str, list[str]]], node: tuple[int, ...], k: int
) -> float:
    """ARX's geometric Loss: (Π (1 + L))^(1/n) − 1, with 1 for a suppressed row."""
    at = list(zip(trees, node, strict=True))
    classes = Counter(
        tuple(tree[value][level] for value, (tree, level) in zip(row, at, strict=True))
        for row in sample
    )
    product = 1.0
    for place, (tree, level) in enumerate(at):
        under = Counter(path[level] for path in tree.values())
        total = sum(
            rows if rows < k else rows * (under[labels[place]] - 1) / (len(tree) - 1)
            for labels, rows in classes.items()
        )
        product *= 1 + total / len(sample)
    return float(product ** (1 / len(node)) - 1)


if __name__ == "__main__":
    main()
