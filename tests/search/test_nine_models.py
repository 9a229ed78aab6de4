"""The nine models: each runs, keeps to what it says, and the exact ones are exact."""

import itertools
from dataclasses import replace

import oracle
import pyarrow as pa
import pytest
import tiny
from effort import effort

import lookalike as la
from lookalike.policy.nine_models import MODELS
from lookalike.problem.prepare import tabulate
from lookalike.problem.problem import Problem
from lookalike.verifier.claim.cells.recoding import check_fit
from lookalike.verifier.claim.optimality import check_claim
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.rows.faithfulness import true_labels

EXACT = {"AG_TS", "AG_AS", "AG_", "TS", "AS"}


def policy_of(one, model):
    rows = one.allowance if MODELS[model].suppresses_rows else 0
    policy = replace(tiny.policy(one, la.Precision()), levels={}, suppress=rows)
    return replace(policy, model=model)


def by_hand(one, model):
    """The least 1 − Prec over the nodes that the model allows; None if none meets k."""
    heights = oracle.heights(one.hierarchies)
    if model == "TS":
        ranges = [(0,)] * len(heights)
    elif model == "AS":
        ranges = [(0, h) for h in heights]
    else:
        ranges = [range(h + 1) for h in heights]
    allowance = one.allowance if MODELS[model].suppresses_rows else 0
    costs = [
        float(oracle.precision_cost(one.rows, one.hierarchies, one.weights, one.k, levels))
        for levels in itertools.product(*ranges)
        if oracle.feasible(one.rows, one.hierarchies, levels, one.k, allowance)
    ]
    return min(costs, default=None)


@pytest.mark.parametrize("model", MODELS)
def test_each_model_on_random_tables(model):
    released = 0
    for number, one in enumerate(tiny.tiny_problems(effort(400), 11)):
        policy = policy_of(one, model)
        problem = counted(one, policy)
        solution = la.solve(problem)
        if model in EXACT:
            expected = by_hand(one, model)
            if expected is None:
                assert solution.status is la.INFEASIBLE
                continue
            assert solution.status is la.OPTIMAL
            assert solution.cost == pytest.approx(expected, abs=1e-9)
        else:
            assert solution.status in (la.OPTIMAL, la.FEASIBLE)
        if number % 20 == 0:
            table = tiny.table(one)
            release = la.release(table, la.prepare(table, policy), solution)
            assert release.certificate.content["model"] == model
            released += 1
    assert released or model == "TS"


@pytest.mark.parametrize(
    ("model", "algorithms"),
    [
        ("AG_TS", [la.Datafly(), la.Samarati(), la.Incognito(), la.MinGen(), la.Hybrid()]),
        ("CG_", [la.Mondrian(), la.Ungeneralize()]),
        ("CG_CS", [la.Mondrian(), la.Ungeneralize()]),
        ("AG_CS", [la.StarCells(), la.MuArgus()]),
        ("CS", [la.StarCells(), la.MeyersonWilliams()]),
    ],
)
def test_every_algorithm_of_a_model_is_a_true_generalization(model, algorithms):
    """200 tables a model, by the verifier's arithmetic; every 20th recoded, released, recounted."""
    for number, one in enumerate(tiny.tiny_problems(effort(200), 23)):
        policy = policy_of(one, model)
        problem = counted(one, policy)
        for algorithm in algorithms:
            solution = la.solve(problem, algorithm)
            if solution.recoding is None:
                assert model == "AG_TS"
                continue
            promises = not isinstance(algorithm, la.MuArgus)
            assert not promises or solution.status is not la.UNMET
            wrong = [finding for finding in by_arithmetic(problem, solution) if not finding.holds]
            if number % 20 == 0:
                table = tiny.table(one)
                seen = la.examine(table, la.prepare(table, policy), solution)
                wrong += [finding for finding in seen.certificate.findings if not finding.holds]
            assert not wrong or (not promises and {f.check for f in wrong} == {"k-anonymity"})


def counted(one, policy):
    """As ``prepare`` would, without an engine."""
    counts = tiny.counts(one)
    tables, faults = tabulate(policy, counts)
    assert not faults
    return Problem(policy, counts, tables)


def by_arithmetic(problem, solution):
    """Is it a recoding of this table, true in every label, at the cost and the bound it claims?"""
    policy, counts, tables = problem.policy, problem.counts, problem.tables
    found = [true_labels(CountedOriginal(counts, tables, policy), solution.recoding)]
    found += check_claim(CountedOriginal(counts, tables, policy), solution)
    if isinstance(solution.recoding, la.CellMap):
        fault = check_fit(CountedOriginal(counts, tables, policy), solution.recoding)
        found += [fault] if fault else []
    return found


def test_where_rows_alone_may_go_coarser_levels_are_not_advised():
    table = pa.table({"a": ["1", "1", "2", "3"]})
    policy = la.Policy(
        quasi_identifiers={"a": la.flat()}, require=la.KAnonymity(2), model="TS", suppress=1
    )
    with pytest.raises(la.Infeasible, match="generalize, and 2 of 4 rows") as caught:
        la.anonymize(table, policy)
    [fault] = caught.value.faults
    assert fault.fix == (
        "set suppress to 2 or more, use a model that generalizes, for example AG_TS, or lower k"
    )
    starred = la.Conventions(suppressed="star")
    for rows, more, said in [
        (["1", "2", "3"], {"suppress": 1.0}, "they cannot all be suppressed"),
        (["1", "1", "2"], {"conventions": starred}, "when starred, they are fewer than k"),
    ]:
        with pytest.raises(la.Infeasible, match=said) as caught:
            la.anonymize(pa.table({"a": rows}), replace(policy, **more))
        [fault] = caught.value.faults
        assert "coarser" not in fault.fix
        assert "AG_TS" in fault.fix


def test_an_algorithm_outside_the_model_refuses():
    one = next(iter(tiny.tiny_problems(1, 1)))
    problem = la.prepare(tiny.table(one), policy_of(one, "CS"))
    for by in (la.Flash(), la.Mondrian(), la.MuArgus()):
        with pytest.raises(la.NotSuited, match="asks for model CS"):
            la.solve(problem, by)


def test_models_by_words_and_bad_ones():
    assert la.Model("attribute", "tuple").name == "AG_TS"
    one = next(iter(tiny.tiny_problems(1, 1)))
    policy = replace(tiny.policy(one, la.Precision()), levels={}, suppress=0)
    words = {"generalize": "attribute", "suppress": "cell"}
    assert replace(policy, model=words).model.name == "AG_CS"
    for given, said in [
        ("AG_XS", "unknown model"),
        ({"generalize": "row"}, "unknown"),
        ({"generalize": "cell", "suppress": "tuple"}, "is unknown"),
        ({"generalise": "cell"}, "unknown key"),
    ]:
        with pytest.raises(la.PolicyError, match=said):
            replace(policy, model=given)
    with pytest.raises(la.PolicyError, match="suppresses no rows"):
        replace(policy, model="CG_", suppress=1)
    with pytest.raises(la.PolicyError, match="generalizes nothing"):
        replace(policy, model="CS", levels={policy.names[0]: (0, 1)})
