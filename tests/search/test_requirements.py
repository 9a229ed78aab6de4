"""Exact searches with every requirement equal brute force over all nodes; proofs verify.

The brute force works on rows and asks the papers' oracle about each class. Whatever a search
returns keeps what is required, whether or not the rule is monotone.
"""

import itertools
import math
import random
from collections import Counter
from dataclasses import replace

import oracle
import privacy_oracle as papers
import pyarrow as pa
import pytest
import tiny
from effort import effort
from requirement_cases import VALUES, Case, cases

import lookalike as la
from lookalike.policy.conventions import Conventions
from lookalike.verifier.claim.optimality import check_claim
from lookalike.verifier.counted_original import CountedOriginal

PROBLEMS = effort(480)
CHUNKS = 8
METRICS = ["precision", "discernibility", "class-size", "classification"]


def judged(problem, levels, asked, conventions):
    """The rows gone at a node, and whether what is left may be released."""
    rows = range(len(problem.rows))
    classes = list(oracle.classes_of(
        oracle.recode(problem.rows, problem.hierarchies, levels)).values())  # fmt: skip

    def held(members):
        return dict(Counter(problem.classes[i] for i in members))

    def keeps(members, table):
        return all(case.one(held(members), table) for case in asked)

    left = classes
    if conventions.suppressed == "star":
        table = held(rows)
        left = [one for one in classes if keeps(one, table)]
    else:
        while left:
            table = held(i for one in left for i in one)
            safe = [one for one in left if keeps(one, table)]
            if safe == left:
                break
            left = safe
    gone = sorted(set(rows) - {i for one in left for i in one})
    may = len(gone) <= min(problem.allowance, len(problem.rows) - 1)
    released = list(left)
    if conventions.suppressed == "star" and gone:
        released.append(gone)
        if conventions.stars == "own":
            may = may and keeps(gone, held(rows))
    may = may and all(case.keeps([held(one) for one in released]) for case in asked if case.whole)
    return gone, left, may


def cost_of(metric, problem, levels, gone, left):
    total = len(problem.rows)
    if metric == "precision":
        weights = [w / sum(problem.weights) for w in problem.weights]
        heights = oracle.heights(problem.hierarchies)
        kept = sum(w * level / h for w, level, h in zip(weights, levels, heights, strict=True))
        return (kept * (total - len(gone)) + len(gone)) / total
    if metric == "discernibility":
        return sum(len(one) ** 2 for one in left) + total * len(gone)
    if metric == "class-size":
        return total / max(1, len(left) + bool(gone))
    return len(gone) + sum(
        len(one) - max(Counter(problem.classes[i] for i in one).values()) for one in left
    )


def best_nodes(problem, metric, asked, conventions):
    found = {}
    for levels in itertools.product(
        *(range(low, high + 1) for low, high in zip(problem.low, problem.high, strict=True))
    ):
        gone, left, may = judged(problem, levels, asked, conventions)
        if may:
            found[levels] = cost_of(metric, problem, levels, gone, left)
    best = min(found.values(), default=None)
    return best, {n for n, c in found.items() if math.isclose(c, best, abs_tol=1e-9)}


def of_size(k):
    return Case("k", la.KAnonymity(k), None, lambda one, table: sum(one.values()) >= k)


def average(risk):
    rule = la.AverageRisk(risk)

    def keeps(classes):
        return papers.average_risk_kept(classes, papers.Fraction(str(risk)))

    return WholeCase("average", rule, keeps, lambda one, table: True)


class WholeCase(Case):
    """About the released table as a whole."""

    whole = True


Case.whole = False


def sampled(rng, number):
    """One rule of every kind in turn, half of the time together with k or with another."""
    every = [*cases(rng), average(rng.choice([0.2, 0.35, 0.5]))]
    asked = [every[number % len(every)]]
    more = rng.random()
    if more < 0.4:
        asked.append(of_size(rng.randint(2, 3)))
    elif more < 0.6:
        asked.append(rng.choice(every))
    return asked


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_exact_searches_equal_brute_force_and_every_proof_verifies(chunk):
    rng = random.Random(chunk)
    solved = 0
    for number, plain in enumerate(tiny.tiny_problems(PROBLEMS // CHUNKS, seed=700 + chunk)):
        labels = [rng.choice(VALUES[: rng.randint(2, 4)]) for _ in plain.rows]
        allowance = rng.choice([0, plain.allowance])
        problem = replace(plain, classes=labels, allowance=allowance)
        asked = sampled(rng, number * CHUNKS + chunk)
        conventions = rng.choice([Conventions(), Conventions(), Conventions(suppressed="star"),
                                  Conventions(suppressed="star", stars="wildcard")])  # fmt: skip
        metric = METRICS[number % len(METRICS)]
        prepared = tiny.problem(problem, tiny.METRICS[metric][0], conventions)
        policy = replace(prepared.policy, require=tuple(case.rule for case in asked))
        prepared = type(prepared)(policy, prepared.counts, prepared.tables)
        best, nodes = best_nodes(problem, metric, asked, conventions)
        told = ([case.name for case in asked], metric, conventions, problem)
        for algorithm in (la.Flash(), la.MinGen(), la.Incognito(), la.Samarati(), la.Datafly()):
            try:
                solution = la.solve(prepared, algorithm)
            except la.NotSuited:
                assert algorithm.name in ("incognito", "samarati"), told
                continue
            if algorithm.name in ("flash", "mingen", "incognito"):
                if best is None:
                    assert solution.status is la.INFEASIBLE, (algorithm.name, told)
                else:
                    solved += 1
                    assert solution.status is la.OPTIMAL, (algorithm.name, told)
                    assert solution.recoding.levels in nodes, (algorithm.name, told)
                    assert math.isclose(solution.cost, best, abs_tol=1e-9), told
            elif solution.recoding is not None:
                _, _, may = judged(problem, solution.recoding.levels, asked, conventions)
                assert may, (algorithm.name, told)
                assert solution.bound <= best + 1e-9, (algorithm.name, told)
            findings = check_claim(
                CountedOriginal(prepared.counts, prepared.tables, policy), solution
            )
            assert all(finding.holds for finding in findings), (algorithm.name, told, findings)
    assert solved


@pytest.mark.parametrize("chunk", range(2))
def test_searches_with_a_population_equal_brute_force(chunk):
    rng = random.Random(100 + chunk)
    for problem in tiny.tiny_problems(PROBLEMS // 12, seed=900 + chunk):
        names = tiny.names(problem)
        others = [
            tuple(rng.choice(list(hierarchy)) for hierarchy in problem.hierarchies)
            for _ in range(rng.randint(0, 20))
        ]
        everybody = [*problem.rows, *others]
        rule = rng.choice([la.KMap(rng.randint(2, 5)), la.DeltaPresence(0.0, 0.6),
                           la.DeltaPresence(0.2, 0.9)])  # fmt: skip
        policy = replace(
            tiny.policy(problem, la.Precision()),
            require=(rule,),
            population=la.Population(
                pa.table({name: [row[a] for row in everybody] for a, name in enumerate(names)})
            ),
        )
        prepared = la.prepare(tiny.table(problem), policy)
        found = {}
        for levels in itertools.product(
            *(range(low, high + 1) for low, high in zip(problem.low, problem.high, strict=True))
        ):
            shown = oracle.recode(problem.rows, problem.hierarchies, levels)
            people = Counter(oracle.recode(everybody, problem.hierarchies, levels))
            members = Counter(shown)
            if isinstance(rule, la.KMap):
                kept = {key for key in members if people[key] >= rule.k}
            else:
                kept = {key for key in members if rule.least - 1e-9 <= members[key] / people[key]
                        and members[key] / people[key] <= rule.most + 1e-9}  # fmt: skip
            gone = [i for i, key in enumerate(shown) if key not in kept]
            may = len(gone) <= min(problem.allowance, len(shown) - 1)
            if isinstance(rule, la.DeltaPresence) and rule.least > 0:
                may = may and kept >= set(people)
            if may:
                found[levels] = cost_of("precision", problem, levels, gone, [])
        best = min(found.values(), default=None)
        for algorithm in (la.Flash(), la.MinGen()):
            solution = la.solve(prepared, algorithm)
            if best is None:
                assert solution.status is la.INFEASIBLE, (rule, problem)
            else:
                assert solution.status is la.OPTIMAL, (rule, problem)
                assert math.isclose(solution.cost, best, abs_tol=1e-9), (rule, problem)
                assert solution.recoding.levels in found
                release = la.release(tiny.table(problem), prepared, solution)
                assert release.certificate.passed


def test_a_finer_node_may_suppress_fewer_rows_than_a_coarser_one_has_broken_classes():
    """Leaving rows out changes the release that classes are held against, so that a class which
    breaks a monotone rule need not have a part that does.
    """
    trees = [
        {"b": ["b", "x", "*"], "c": ["c", "c", "*"], "d": ["d", "x", "*"]},
        {"f": ["f", "y", "*"], "g": ["g", "y", "*"]},
        {"h": ["h", "h", "*"], "i": ["i", "z", "*"], "j": ["j", "z", "*"], "k": ["k", "k", "*"]},
    ]
    rows = ["cfj", "dgh", "dgh", "dgk", "dgh", "cfj", "dfi", "dgh", "dfj", "cfj", "bgi", "dfi"]
    problem = oracle.TinyProblem(
        rows=[tuple(row) for row in rows],
        hierarchies=trees,
        weights=[1, 1, 1],
        k=2,
        allowance=3,
        classes=list("123223111233"),
        low=(0, 0, 0),
        high=(2, 2, 2),
    )
    prepared = tiny.problem(problem, la.Height())
    policy = replace(prepared.policy, require=(la.BetaLikeness("label", 0.5),))
    prepared = type(prepared)(policy, prepared.counts, prepared.tables)
    assert la.solve(prepared, la.Flash()).cost == la.solve(prepared, la.MinGen()).cost == 0
