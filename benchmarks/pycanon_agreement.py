"""Do pycanon's measures and the definitions of the papers agree? On Adult, and on tiny tables.

    pip install --no-deps pycanon==1.3.6 && python benchmarks/pycanon_agreement.py --data DIR

Every measure is taken by pycanon, by ``tests/oracles/privacy_oracle.py``, which is written from the
papers' definitions alone, and by lookalike, which must agree with the oracle everywhere, or the
script ends. The last column says whether pycanon and the oracle agree:

    yes        equal to nine digits
    rounded    pycanon gives a whole number where the measure is a real one, and it is the right
               one: the l of entropy rounded down, the least whole c of recursive (c,l)-diversity
    NO         they differ; docs/explanation/pycanon.md says why, on the tiny tables shown last

pycanon pins an old pandas, hence --no-deps: it works with newer ones, and the numbers are the same.
c and delta are lower limits: a table keeps every larger c or delta, not this one itself. "none"
is a table that keeps the requirement for no number at all, or no answer.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import math
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

ROOT = Path(__file__).parents[1]
NAMES = "k|l|entropy l|recursive l|recursive c|alpha|t|basic beta|enhanced beta|delta"
MEASURES = NAMES.split("|")
Measured = dict[str, Any]


@dataclass
class Case:
    """A table, its quasi-identifiers, and one sensitive column."""

    name: str
    table: pd.DataFrame
    quasi: list[str]
    sensitive: str


# --- who measures ---------------------------------------------------------------------------------


def by_pycanon(case: Case) -> Measured:
    """What pycanon says; an exception is an answer, too."""
    anonymity = importlib.import_module("pycanon.anonymity")
    table, quasi, sensitive = case.table, case.quasi, [case.sensitive]

    def ask(function: str, part: int | None = None) -> Any:
        try:
            found = getattr(anonymity, function)(table, quasi, sensitive)
        except (ValueError, TypeError, IndexError, ZeroDivisionError, OverflowError) as error:
            return type(error).__name__
        return found if part is None else found[part]

    return {
        "k": anonymity.k_anonymity(table, quasi),
        "l": ask("l_diversity"),
        "entropy l": ask("entropy_l_diversity"),
        "recursive l": ask("recursive_c_l_diversity", 1),
        "recursive c": ask("recursive_c_l_diversity", 0),
        "alpha": ask("alpha_k_anonymity", 0),
        "t": ask("t_closeness"),
        "basic beta": ask("basic_beta_likeness"),
        "enhanced beta": ask("enhanced_beta_likeness"),
        "delta": ask("delta_disclosure"),
    }


def by_paper(case: Case) -> Measured:
    """What the definitions say; a null is a value like any other. t is ordered for numbers."""
    sys.path.insert(0, str(ROOT / "tests" / "oracles"))
    paper = importlib.import_module("privacy_oracle")
    classes = classes_of(case)
    distance = paper.equal_distance
    if pd.api.types.is_numeric_dtype(case.table[case.sensitive]):
        table = paper.whole(classes)
        order = sorted(value for value in table if value is not None)
        distance = paper.ordered_distance(classes, [*order, *({None} & table.keys())])
    ell = paper.distinct_l_of(classes)
    return {
        "k": paper.k_of(classes),
        "l": ell,
        "entropy l": paper.entropy_l_of(classes),
        "recursive l": ell,
        "recursive c": paper.recursive_c_of(classes, ell),
        "alpha": paper.alpha_of(classes),
        "t": paper.t_of(classes, distance),
        "basic beta": paper.basic_beta_of(classes),
        "enhanced beta": paper.enhanced_beta_of(classes),
        "delta": paper.delta_of(classes),
    }


def by_lookalike(case: Case) -> Measured:
    """What lookalike's verifier measures; and its search's rules must judge at these as it does."""
    import numpy as np

    import lookalike as la
    from lookalike.verifier.requirements.definitions import judge
    from lookalike.verifier.requirements.sensitive_counts import CountedClasses, spread_of

    classes = classes_of(case)
    texts = list(dict.fromkeys(value for one in classes for value in one))
    entries = [(i, texts.index(v), n) for i, one in enumerate(classes) for v, n in one.items()]
    of, code, rows = (np.array(part) for part in zip(*entries, strict=True))
    read = [None if value is None else str(value) for value in texts]
    held = CountedClasses.of(
        np.array([sum(one.values()) for one in classes]), {"s": spread_of(read, of, code, rows)}
    )

    def measured(rule: Any) -> Any:
        return judge(rule, held, int(held.sizes.sum()))

    numbers = pd.api.types.is_numeric_dtype(case.table[case.sensitive]) and None not in texts
    ell = int(measured(la.DistinctDiversity("s", 2)).measure.min())
    close = la.TCloseness("s", 0.5, la.Ordered() if numbers else la.Equal())
    beta = measured(la.BetaLikeness("s", 1.0)).measure.max()
    enhanced = measured(la.BetaLikeness("s", 1e9, "enhanced")).broken.any()
    recursive = la.RecursiveDiversity("s", 1.0, max(2, ell))
    return {
        "k": int(held.sizes.min()),
        "l": ell,
        "entropy l": measured(la.EntropyDiversity("s", 2)).measure.min(),
        "recursive l": ell,
        "recursive c": measured(recursive).measure.max() if ell > 1 else 1,
        "alpha": measured(la.AlphaK("s", 0.5, 2)).measure.max(),
        "t": measured(close).measure.max(),
        "basic beta": beta,
        "enhanced beta": math.inf if enhanced else beta,
        "delta": measured(la.DeltaDisclosure("s", 1.0)).measure.max(),
    }


def classes_of(case: Case) -> list[Counter[Any]]:
    """The histogram of the sensitive column in each equivalence class, row by row."""
    found: dict[tuple[Any, ...], Counter[Any]] = {}
    rows = case.table[[*case.quasi, case.sensitive]].itertuples(index=False, name=None)
    for row in rows:
        *key, value = (None if pd.isna(cell) else cell for cell in row)
        found.setdefault(tuple(key), Counter())[value] += 1
    return list(found.values())


MEASURERS: dict[str, Callable[[Case], Measured]] = {
    "pycanon": by_pycanon,
    "paper": by_paper,
}
if importlib.util.find_spec("lookalike"):
    MEASURERS["lookalike"] = by_lookalike


# --- the tables -----------------------------------------------------------------------------------


def adult_cases(folder: Path) -> Iterator[Case]:
    """Adult as it is, and generalized in three ways."""
    adult = pd.read_csv(folder / "adult.csv", sep=";")

    def level(column: str, up: int) -> pd.Series[Any]:
        path = folder / f"adult_hierarchy_{column}.csv"
        rows = pd.read_csv(path, sep=";", header=None, dtype=str)
        return adult[column].astype(str).map(dict(zip(rows[0], rows[up], strict=True)))

    as_is = adult.assign(decade=adult["age"] // 10 * 10)
    for sensitive in ("occupation", "salary-class", "decade"):
        yield Case("as it is", as_is, ["sex", "race", "education"], sensitive)
    banded = adult.assign(
        age=(adult["age"] // 20 * 20).clip(upper=60).astype(str), education=level("education", 2)
    )
    for sensitive in ("occupation", "salary-class"):
        yield Case("age by twenty", banded, ["sex", "age", "education"], sensitive)
    merged = adult.assign(
        race=adult["race"].where(adult["race"] == "White", "Other"),
        workclass=level("workclass", 1).where(lambda w: w != "Unemployed", "Non-Government"),
    )
    for sensitive in ("occupation", "salary-class", "age"):
        yield Case("race in two", merged, ["sex", "race", "workclass"], sensitive)
    for sensitive in ("occupation", "salary-class", "age"):
        yield Case("sex alone", adult, ["sex"], sensitive)


def tiny_cases() -> Iterator[tuple[Case, list[str]]]:
    """The smallest tables on which they part, each with the measures to look at."""

    def case(name: str, quasi: list[Any], sensitive: list[Any]) -> Case:
        return Case(name, pd.DataFrame({"q": quasi, "s": sensitive}), ["q"], "s")

    mixed = case("sorted by q", list("xyxy"), list("abab"))
    mixed.table = mixed.table.sort_values("q", kind="stable")
    tail = case("first row dropped", list("yx"), list("aa"))
    tail.table = tail.table.iloc[1:]
    nan = float("nan")
    yield case("c upside down", list("xxx"), list("aab")), ["recursive c"]
    yield mixed, ["l", "alpha", "t", "basic beta"]
    yield tail, ["k", "l", "t"]
    yield case("value not in class", list("xy"), list("ab")), ["delta", "enhanced beta"]
    yield case("no beta helps", list("xxyy"), list("abaa")), ["enhanced beta"]
    yield case("l cut too low", list("xx"), list("ab")), ["entropy l"]
    yield case("l cut", list("xxx"), list("aab")), ["entropy l"]
    yield case("null in q", ["x", "x", None], list("aba")), ["k", "t", "basic beta"]
    yield case("null in s, text", list("xx"), ["a", None]), ["l", "alpha", "t"]
    yield case("null in s, numbers", list("xxx"), [1, nan, nan]), ["l", "entropy l", "alpha"]
    yield case("null in s, numbers", list("xxyy"), [1, nan, 1, 1]), ["t", "delta"]
    yield case("one number", list("xx"), [1, 1]), ["t"]


# --- printing -------------------------------------------------------------------------------------


def verdict(measure: str, theirs: Any, ours: Any) -> str:
    """Yes, rounded, or NO."""
    if isinstance(theirs, str):
        return "NO"
    if math.isnan(theirs):  # pycanon computes no c where l is 1
        return "not given"
    if theirs == ours or math.isclose(theirs, ours, rel_tol=1e-9, abs_tol=1e-9):
        return "yes"
    if math.isinf(ours):
        return "NO"
    cut = {"entropy l": math.floor(ours + 1e-9), "recursive c": math.floor(ours) + 1}
    return "rounded" if theirs == cut.get(measure) else "NO"


def shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    number = float(value)
    if not math.isfinite(number):
        return "none"
    return f"{number:.0f}" if number == int(number) else f"{number:.4f}"


def show(case: Case, measures: list[str]) -> list[str]:
    """One printed line per measure; returns the verdicts."""
    found = {who: measure(case) for who, measure in MEASURERS.items()}
    verdicts = []
    for measure in measures:
        values = [found[who][measure] for who in MEASURERS]
        verdicts.append(verdict(measure, found["pycanon"][measure], found["paper"][measure]))
        if "lookalike" in found:
            mine = verdict(measure, found["lookalike"][measure], found["paper"][measure])
            assert mine == "yes", (case.name, measure, "lookalike and the paper differ")
        cells = "".join(f"{shown(value):>19}" for value in values)
        print(
            f"{case.name:<20}{case.sensitive:<14}{measure:<14}{cells}  {verdicts[-1]}", flush=True
        )
    return verdicts


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="adult.csv and its hierarchies")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")  # pycanon divides by zero where a number is missing
    heads = "".join(f"{who:>19}" for who in MEASURERS)
    print(f"{'table':<20}{'sensitive':<14}{'measure':<14}{heads}  agree")
    verdicts = [v for case in adult_cases(asked.data) for v in show(case, MEASURES)]
    print("\n" + ", ".join(f"{name}: {verdicts.count(name)}" for name in sorted(set(verdicts))))
    print("\nTiny tables\n")
    for case, measures in tiny_cases():
        show(case, measures)


if __name__ == "__main__":
    main()
