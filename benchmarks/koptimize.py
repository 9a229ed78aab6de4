"""K-Optimize on Adult: the figures 6 and 7 of Bayardo and Agrawal 2005, proved and recounted.

    uv run python benchmarks/koptimize.py --data DIR [--metric DM CM] [--age fine coarse] [--k …]
        [--limit 0 100 none] [--seconds S] [--threads] [--rivals] [--check] [--plots FOLDER]
    uv run python benchmarks/koptimize.py --data DIR --printed

Every case is searched with the optimum of the limit before it to start from (figure 7a's "seeded"),
and its cost recounted from the CSV file row by row, with code of its own. ``--unseeded`` searches
each case on its own (figure 6a). ``--threads`` repeats cases with one thread, for the ratio;
``--check`` has the verifier walk every proof; ``--rivals`` draws cost over time at k = 50 (7b).
``--printed`` only compares the search as the paper prints it with ours, on columns it can finish.
Times are multiples of u (``unit.py``).
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lookalike as la
from adult import CLASS
from lookalike.cost.metric import Metric
from lookalike.problem.problem import Problem
from lookalike.report.charts.chart_files import save
from lookalike.report.charts.comparison_charts import lines
from lookalike.search.auto_choice import named
from lookalike.solution.recoding import Cuts
from lookalike.solution.solution import Solution, Stop
from lookalike.solution.solution_file import dumps
from unit import unit

KS = (1000, 500, 250, 100, 50, 25, 10, 5)
LIMITS = ("0", "100", "none")
METRICS: dict[str, Metric] = {"DM": la.Discernibility(), "CM": la.Classification(CLASS)}
PROJECTIONS: tuple[tuple[tuple[str, ...], str, int], ...] = (
    (("age", "education", "marital-status", "race", "sex"), "coarse", 50),
    (("age", "education", "marital-status", "race", "sex"), "coarse", 10),
    (("workclass", "education", "occupation", "sex"), "fine", 50),
    (("age", "occupation", "race", "sex"), "fine", 250),
    (("age", "race", "sex"), "fine", 5),
)
RIVALS = ("k-optimize", "hill-climbing", "genetic", "annealing", "greedy")


@dataclass(frozen=True)
class Adult:
    """The table, once as rows of text, with the order of each column's values."""

    age: str  # fine or coarse
    rows: list[dict[str, str]]
    orders: dict[str, list[str]]

    @staticmethod
    def read(data: Path, age: str) -> Adult:
        found = json.loads((data / f"orders_{age}.json").read_text(encoding="utf-8"))
        with (data / "adult.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter=";"))
        if age == "coarse":
            spans = [tuple(map(int, label.split("-"))) for label in found["orders"]["age"]]
            label = {
                str(year): f"{low}-{high}" for low, high in spans for year in range(low, high + 1)
            }
            rows = [{**row, "age": label[row["age"]]} for row in rows]
        return Adult(age, rows, found["orders"])

    def only(self, columns: Sequence[str]) -> Adult:
        return Adult(self.age, self.rows, {name: self.orders[name] for name in columns})

    def problem(self, k: int, limit: str, metric: Metric) -> Problem:
        import pyarrow as pa

        names = [*self.orders, CLASS]
        table = pa.table({name: [row[name] for row in self.rows] for name in names})
        policy = la.Policy(
            quasi_identifiers={name: la.ordered(order) for name, order in self.orders.items()},
            sensitive=[CLASS],
            require=la.KAnonymity(k),
            suppress=1.0 if limit == "none" else int(limit),
            metric=metric,
        )
        return la.prepare(table, policy)

    def recount(self, recoding: Cuts, k: int, metric: str) -> tuple[int, int, int]:
        """Cost, suppressed rows and classes, row by row."""
        ranks = []
        for name in recoding.names:
            seen = {row[name] for row in self.rows}
            held = [value for value in self.orders[name] if value in seen]
            ranks.append({value: place for place, value in enumerate(held)})
        classes: dict[tuple[int, ...], Counter[str]] = {}
        for row in self.rows:
            shown = tuple(
                bisect_right(cuts, rank[row[name]])
                for name, cuts, rank in zip(recoding.names, recoding.cuts, ranks, strict=True)
            )
            classes.setdefault(shown, Counter())[row[CLASS]] += 1
        cost = suppressed = kept = 0
        for labels in classes.values():
            size = labels.total()
            if size < k:
                suppressed += size
                cost += size * len(self.rows) if metric == "DM" else size
            else:
                kept += 1
                cost += size * size if metric == "DM" else size - max(labels.values())
        return cost, suppressed, kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--metric", nargs="*", default=["DM", "CM"], choices=list(METRICS))
    parser.add_argument("--age", nargs="*", default=["fine", "coarse"], choices=["fine", "coarse"])
    parser.add_argument("--k", type=int, nargs="*", default=list(KS))
    parser.add_argument("--limit", nargs="*", default=list(LIMITS), choices=LIMITS)
    parser.add_argument("--seconds", type=float, default=120.0, help="for one case")
    parser.add_argument("--unseeded", action="store_true")
    parser.add_argument("--threads", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--rivals", action="store_true")
    parser.add_argument("--printed", action="store_true")
    parser.add_argument("--plots", type=Path)
    asked = parser.parse_args()
    if asked.printed:
        sys.exit(as_printed(asked))
    measured: list[dict[str, Any]] = []
    for age in asked.age:
        adult = Adult.read(asked.data, age)
        for metric in asked.metric:
            print(f"\n{metric}, {age}")
            print(HEAD)
            before = len(measured)
            for row in cases(adult, metric, asked):
                measured.append({**row, "age": age, "metric": metric})
                show(measured[-1])
            whole = sum(row["u"] for row in measured[before:])
            proved = sum(row["status"] == "optimal" for row in measured[before:])
            print(f"{proved} of {len(measured) - before} proved optimal, {whole:,.0f} u in all")
        if asked.rivals:
            race(adult, asked)
    print(f"\npeak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB")
    if asked.plots and measured:
        figures(measured, asked.plots, "unseeded" if asked.unseeded else "seeded")


HEAD = (
    f"{'k':>6}{'limit':>7}{'cost':>14}{'bound':>14}{'gap':>8}{'out':>7}{'classes':>9}{'nodes':>10}"
    f"{'u':>10}{'one/two':>9}{'check':>8}{'proof kB':>10}  "
)


def show(row: dict[str, Any]) -> None:
    ratio = f"{row['ratio']:.2f}" if row["ratio"] else ""
    check = f"{row['check']:.2f}" if row["check"] else ""
    print(
        f"{row['k']:>6}{row['limit']:>7}{row['cost']:>14,.0f}{row['bound']:>14,.0f}"
        f"{row['gap']:>8.1%}{row['out']:>7,}{row['classes']:>9,}{row['nodes']:>10,}"
        f"{row['u']:>10,.0f}{ratio:>9}{check:>8}{row['bytes'] / 1e3:>10,.1f}  {row['status']}"
        f"{'' if row['recounted'] else ', BUT THE RECOUNT DIFFERS'}",
        flush=True,
    )


def cases(adult: Adult, metric: str, asked: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """One row a k and limit; limits in their order, so that each can start from the one before."""
    la.solve(adult.problem(max(KS), "none", METRICS[metric]), "k-optimize")  # loads the kernels
    for k in asked.k:
        start: Cuts | None = None
        for limit in asked.limit:
            problem = adult.problem(k, limit, METRICS[metric])
            u = unit(problem.counts)
            found = search(problem, asked.seconds, None if asked.unseeded else start)
            if not isinstance(found.recoding, Cuts) or found.cost is None:
                print(f"{k:>6}{limit:>7}  {found.status} after {found.seconds / u:,.0f} u")
                continue
            start = found.recoding
            ratio = 0.0
            if asked.threads:
                ratio = search(problem, asked.seconds, None, threads=1).seconds / found.seconds
            cost, out, classes = adult.recount(found.recoding, k, metric)
            yield {
                "k": k, "limit": limit, "cost": found.cost, "bound": found.bound, "gap": found.gap,
                "out": found.suppressed, "classes": found.classes, "nodes": found.checks,
                "u": found.seconds / u, "ratio": ratio, "status": str(found.status),
                "bytes": len(dumps(found)),
                "check": checked(problem, found) if asked.check else 0.0,
                "recounted": (cost, out, classes) == (found.cost, found.suppressed, found.classes),
            }  # fmt: skip


def search(
    problem: Problem, seconds: float, start: Cuts | None, threads: int | None = None
) -> Solution:
    algorithm = la.KOptimize(start=start, threads=threads)
    return la.solve(problem, algorithm, la.Limits(seconds=seconds))


def checked(problem: Problem, found: Solution) -> float:
    """How long the verifier takes over the proof, against the search."""
    import time

    from lookalike.verifier.claim.optimality import check_claim
    from lookalike.verifier.counted_original import CountedOriginal

    began = time.perf_counter()
    findings = check_claim(CountedOriginal(problem.counts, problem.tables, problem.policy), found)
    seconds = time.perf_counter() - began
    if not all(finding.holds for finding in findings):
        sys.exit("the verifier does not accept a proof: " + "; ".join(f.sentence for f in findings))
    return seconds / found.seconds


def as_printed(asked: argparse.Namespace) -> str | None:
    """The paper's own search and ours, on the columns that the paper's can finish."""
    print(
        f"{'columns':>44}{'age':>8}{'k':>6}{'limit':>7}{'':>4}{'printed':>14}{'ours':>14}{'ratio':>8}"
    )
    differ = unfinished = 0
    for columns, age, k in PROJECTIONS:
        adult = Adult.read(asked.data, age).only(columns)
        for metric in asked.metric:
            for limit in asked.limit:
                problem = adult.problem(k, limit, METRICS[metric])
                ours = la.solve(problem, "k-optimize")
                limits = la.Limits(seconds=asked.seconds)
                printed = la.solve(problem, "k-optimize-printed", limits)
                ended = printed.stop is Stop.FINISHED  # it has no proof to show
                same = ours.status is la.OPTIMAL and ours.cost == printed.cost
                verdict = ("" if same else "  DIFFER") if ended else "  unfinished"
                differ += ended and not same
                unfinished += not ended
                print(f"{', '.join(columns):>44}{age:>8}{k:>6}{limit:>7}{metric:>4}"
                      f"{printed.cost or 0:>14,.0f}{ours.cost or 0:>14,.0f}"
                      f"{printed.seconds / ours.seconds:>8,.0f}{verdict}",
                      flush=True)  # fmt: skip
    print(f"{unfinished} not finished in {asked.seconds:,.0f} s; of the others {differ} differ")
    return f"{differ} differ" if differ else None


def race(adult: Adult, asked: argparse.Namespace) -> None:
    """Figure 7b: cost over time, K-Optimize and its rivals, at k = 50 without a limit."""
    problem = adult.problem(50, "none", METRICS["DM"])
    u = unit(problem.counts)
    best = search(problem, asked.seconds, None)
    rows: list[dict[str, Any]] = []
    print(f"\nk = 50, no limit, DM: cost over time; the bound is {best.bound:,.0f}")
    for name in RIVALS:
        limits = la.Limits(seconds=min(asked.seconds, 30.0))
        found = la.solve(problem, named(name), limits)
        steps = [one for one in found.trace if one.cost is not None]
        rows += [{"u": one.seconds / u, "cost": one.cost, "system": name} for one in steps]
        above = (found.cost or 0) / best.bound - 1
        print(f"{name:>16}{found.cost or 0:>14,.0f}{above:>8.1%} above the bound, "
              f"{found.seconds / u:>8,.0f} u, {found.checks:>8,} looked at")  # fmt: skip
    if asked.plots:
        chart = lines(
            rows, "u", "cost", "system", title="Cost over time",
            subtitle="k = 50, no limit on suppression", x_title="u", y_title="discernibility",
            log_x=True, steps=True,
        )  # fmt: skip
        save(chart, asked.plots / f"koptimize_7b_{adult.age}.svg", force=True)


def figures(measured: Sequence[dict[str, Any]], folder: Path, how: str) -> None:
    """6a (or 7a, seeded): time against k. 6b: cost against k."""
    folder.mkdir(parents=True, exist_ok=True)
    for age in sorted({row["age"] for row in measured}):
        for metric in sorted({row["metric"] for row in measured}):
            rows = [
                {**row, "suppressed": f"limit {row['limit']}"}
                for row in measured
                if row["age"] == age and row["metric"] == metric
            ]
            where = f"Adult, {age} age, {metric}, {how}"
            for name, y, title in (("time", "u", "Time"), ("cost", "cost", "Best cost")):
                chart = lines(
                    rows, "k", y, "suppressed", title=f"{title} against k", subtitle=where,
                    x_title="k", y_title=f"{y if y == 'u' else metric}", log_x=True,
                )  # fmt: skip
                save(chart, folder / f"koptimize_{name}_{metric}_{age}_{how}.svg", force=True)


if __name__ == "__main__":
    main()
