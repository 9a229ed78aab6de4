"""Private releases: what is drawn, what neighbors can tell apart, and what is refused."""

from __future__ import annotations

import json
import math
import re
from collections import Counter

import pyarrow as pa
import pytest
from effort import THOROUGH, effort
from private_mechanism import outputs, policy_of, released, table_of, tiny_tables
from private_mechanism_oracle import NODES, distribution, excess

import lookalike as la
from lookalike.pipeline import Pipeline, Request
from lookalike.releasing.randomness import SecureRandomness, SeededRandomness

RUNS = 1_000_000 if THOROUGH else 20_000
Z = 5.0  # standard errors; by chance more than this happens once in a million tests
TINY = [(25, "a")] * 4 + [(31, "a")] * 3 + [(52, "b")] * 3
RULES = [
    la.DifferentialPrivacy(1.0, 0.3),
    la.DifferentialPrivacy(0.5, 0.2),
    la.DifferentialPrivacy(1.5, 0.3, 0.5),
    la.DifferentialPrivacy(1.0, 0.4, 0.3),
]


def nodes_of(rule, number):
    """All nodes if they are chosen, else one of them."""
    return NODES if rule.search_epsilon else [NODES[number % len(NODES)]]


def test_no_set_of_outputs_tells_neighbors_apart_by_more_than_epsilon_and_delta():
    """Exactly, on random tables: the sum over all outputs, in both directions."""
    worst = 0.0
    for number, (rows, another) in enumerate(tiny_tables(effort(400))):
        for rule in RULES:
            given = (nodes_of(rule, number), rule.k, rule.beta, rule.search_epsilon)
            without, with_row = distribution(rows, *given), distribution([*rows, another], *given)
            for one, other in ((without, with_row), (with_row, without)):
                apart = excess(one, other, rule.epsilon)
                assert apart <= rule.delta
                worst = max(worst, apart / rule.delta)
    assert worst > 0.1, "the tables come near to the limit"


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_the_mechanism_has_the_distribution_of_the_definition(rule):
    node = None if rule.search_epsilon else (1, 1)
    expected = distribution(
        TINY, NODES if node is None else [node], rule.k, rule.beta, rule.search_epsilon
    )
    counted = outputs(TINY, policy_of(rule, node), RUNS // 4, SecureRandomness())
    assert counted.keys() <= expected.keys()
    for output, p in expected.items():
        error = math.sqrt(p * (1 - p) / (RUNS // 4)) + 1e-9
        assert abs(counted[output] / (RUNS // 4) - p) < (Z + 1) * error + 3 / RUNS


def violation(first, second, epsilon, delta):
    """By how many standard errors two samples of outputs break (ε, δ); found on half of each.

    The worst set of outputs is chosen by the first halves, and tried on the others.
    """
    (a, b), (c, d) = first, second
    runs, factor = a.total(), math.exp(epsilon)
    worst = {output for output in a if a[output] > factor * c[output]}
    p, q = (sum(half[output] for output in worst) / runs for half in (b, d))
    error = math.sqrt((p * (1 - p) + factor**2 * q * (1 - q)) / runs + 1 / runs**2)
    return (p - factor * q - delta) / error


def halves(rows, policy):
    return [outputs(rows, policy, RUNS // 2, SecureRandomness()) for _ in range(2)]


def neighbors():
    """The table, and the same with one row more in the class where that tells most."""
    return TINY[:-1], TINY


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_million_runs_on_neighbors_find_no_violation(rule):
    policy = policy_of(rule, None if rule.search_epsilon else (1, 1))
    fewer, more = (halves(rows, policy) for rows in neighbors())
    assert violation(more, fewer, rule.epsilon, rule.delta) < Z
    assert violation(fewer, more, rule.epsilon, rule.delta) < Z


@pytest.mark.parametrize(
    "sabotage", ["no sample", "k is 1", "twice the probability", "levels by the best score"]
)
def test_the_same_test_finds_a_mechanism_that_breaks_its_promise(sabotage, monkeypatch):
    from lookalike.releasing import private_levels as choosing

    rule = la.DifferentialPrivacy(0.5, 0.02, 0.2 if sabotage.startswith("levels") else 0.0)
    policy = policy_of(rule, None if rule.search_epsilon else (1, 0))
    fewer, more = [(25, "a")] * 19 + [(45, "b")] * 6, [(25, "a")] * 19 + [(45, "b")] * 7
    honest_k = rule.k
    if sabotage in ("no sample", "twice the probability"):
        monkeypatch.setattr(la.DifferentialPrivacy, "smallest", honest_k)
    if sabotage == "no sample":
        monkeypatch.setattr(la.DifferentialPrivacy, "beta", 1 - 2**-53)
        fewer = [(45, "b")] * 3 + [(25, "a")] * (honest_k - 1)
        more = [*fewer, (25, "a")]
    elif sabotage == "k is 1":
        monkeypatch.setattr(la.DifferentialPrivacy, "smallest", 1)
        fewer, more = [(25, "a")] * 9, [(25, "a")] * 9 + [(45, "b")]
    elif sabotage == "twice the probability":
        monkeypatch.setattr(la.DifferentialPrivacy, "beta", 0.9)
        fewer, more = [(25, "a")] * 15, [(25, "a")] * 16
    else:
        monkeypatch.setattr(
            choosing, "choose", lambda scores, epsilon, sensitivity, bits: scores.index(max(scores))
        )
        monkeypatch.setattr(la.DifferentialPrivacy, "smallest", 4)
        monkeypatch.setattr(choosing.Scoring, "spare", 17)
        fewer = [(25, "a")] * 17 + [(29, "b")] * 3
        more = [*fewer, (25, "a")]
    one, other = halves(fewer, policy), halves(more, policy)
    found = max(
        violation(one, other, rule.epsilon, rule.delta),
        violation(other, one, rule.epsilon, rule.delta),
    )
    assert found > 2 * Z


def test_a_real_release_is_what_the_mechanism_makes_of_the_same_bits():
    shown = 0
    for number, (rows, _) in enumerate(tiny_tables(effort(80), seed=8)):
        rule = RULES[number % len(RULES)]
        policy = policy_of(rule, None if rule.search_epsilon else (1, 1))
        output, release = released(rows, policy, SeededRandomness(number))
        [expected] = outputs(rows, policy, 1, SeededRandomness(number))
        assert output == expected
        shown += release is not None
    assert shown > 2


PEOPLE = pa.table(
    {
        "age": [20 + n % 50 for n in range(600)],
        "letter": ["ab"[n % 2] for n in range(600)],
        "name": [f"person {n}" for n in range(600)],
    }
)
USUAL = {
    "quasi_identifiers": {"age": la.bands(20), "letter": la.flat()},
    "identifiers": "name",
    "require": la.DifferentialPrivacy(1.0, 1e-4, 0.1),
    "suppress": 1.0,
}


def test_a_release_says_what_it_promises_and_verifies_from_outside(tmp_path):
    release = la.anonymize(PEOPLE, la.Policy(**USUAL))
    content = release.certificate.content
    assert content["rows"].keys() == {"released", "classes"}
    assert content["sampling"]["randomness"] == "secret"
    release.write(tmp_path / "out.csv")
    verdict = la.verify(tmp_path / "out.csv")
    assert verdict.passed
    assert any("random bits that nobody knows" in sentence for sentence in verdict.not_checked)
    release.report(tmp_path / "public.html", edition="public")
    release.report(tmp_path / "internal.html")


def test_what_is_published_follows_from_the_released_rows_and_the_levels(monkeypatch):
    """Two tables that differ in rows that are not released, and the same draw of the others."""
    rows = [(25, "a")] * 30
    rule, published = la.DifferentialPrivacy(1.0, 0.1), []
    for others in ([], [(61, "c")] * 3, [(99, "long")] * 5 + [(61, "q")]):
        bits = SeededRandomness(1)  # the first rows are drawn by the first bits
        _, release = released(rows + others, policy_of(rule, (0, 0)), bits)
        published.append(release.certificate.to_json())
    assert published[0] == published[1] == published[2]


def test_numbers_of_the_table_are_nowhere_in_the_certificate():
    rows = [(25, "a")] * 4000 + [(61, "c")] * 3 + [(62, "c")] * 2
    _, release = released(rows, policy_of(RULES[0], (0, 0)), SecureRandomness())
    text = release.certificate.to_json()
    for number in (4005, 4000, release.solution.suppressed + release.released.rows()):
        for shown in (f"{number}", f"{number:,}"):  # digits of δ may happen to be the same
            assert not re.search(rf"(?<![\d.,]){shown}(?!\d)", text)


def test_a_release_with_fixed_bits_is_marked_and_does_not_verify():
    _, release = released([(25, "a")] * 40, policy_of(RULES[0], (1, 1)), SeededRandomness(4))
    assert "not private" in release.certificate.content["sampling"]["randomness"]
    verdict = la.verify(release.table, release.certificate)
    assert [f.check for f in verdict.findings if not f.holds] == ["sampling"]


def test_two_releases_of_one_table_differ():
    made = {la.anonymize(PEOPLE, la.Policy(**USUAL)).released.rows() for _ in range(6)}
    assert len(made) > 1


def test_an_empty_release_is_infeasible():
    with pytest.raises(la.Infeasible, match="the release would be empty"):
        la.anonymize(
            pa.table({"age": list(range(200)), "letter": ["a"] * 200}),
            policy_of(la.DifferentialPrivacy(1.0, 1e-5), (0, 0)),
        )


REQUESTS = {
    "by": {"by": "flash"},
    "seed": {"seed": 3},
    "want": {"want": la.OPTIMAL},
    "ledger": {"ledger": "ledger"},
}


@pytest.mark.parametrize("where", REQUESTS)
def test_what_cannot_be_combined_is_a_fault_before_counting(where, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ledger").mkdir()
    monkeypatch.setattr("lookalike.releasing.private_sample.prepare", None)
    with pytest.raises(la.PolicyError) as raised:
        la.anonymize(PEOPLE, la.Policy(**USUAL), **REQUESTS[where])
    assert [fault.where for fault in raised.value.faults] == [where]


def test_a_solution_and_earlier_levels_are_faults():
    policy = la.Policy(**USUAL)
    solution = la.anonymize(PEOPLE, policy).solution
    for given in ({"solution": solution}, {"earlier": solution}):
        with pytest.raises(la.PolicyError):
            Pipeline(Request(table=PEOPLE, policy=policy, **given)).run()
    with pytest.raises(la.PolicyError, match="two steps"):
        Pipeline(Request(table=PEOPLE, policy=policy)).search_only()


def test_no_other_verb_makes_a_release_without_a_sample():
    policy = la.Policy(**USUAL)
    with pytest.raises(la.PolicyError, match="random sample"):
        la.prepare(PEOPLE, policy)
    made = la.anonymize(PEOPLE, policy)
    with pytest.raises(la.PolicyError, match="random sample"):
        la.release(PEOPLE, made.problem, made.solution)
    with pytest.raises(la.PolicyError, match="drawn rows are secret"):
        la.verify(made.table, original=PEOPLE, policy=policy, solution=made.solution)
    with pytest.raises(la.PolicyError, match="which no table shows"):
        la.check(made.table, ["age", "letter"], la.DifferentialPrivacy(1.0, 1e-4))


def test_more_k_may_be_required_besides():
    rule = la.DifferentialPrivacy(1.0, 1e-4, 0.1)
    policy = la.Policy(**USUAL | {"require": (rule, la.KAnonymity(rule.k + 30))})
    release = la.anonymize(PEOPLE, policy)
    sizes = Counter(zip(*release.table.to_pydict().values(), strict=True)).values()
    assert min(sizes) >= rule.k + 30
    assert release.certificate.content["sampling"]["k"] == rule.k + 30
    assert la.verify(release.table, release.certificate).passed


def test_the_command_line_makes_and_verifies_a_private_release(tmp_path, monkeypatch):
    import pyarrow.csv
    from typer.testing import CliRunner

    from lookalike.cli.app import app

    monkeypatch.chdir(tmp_path)
    pyarrow.csv.write_csv(PEOPLE, "people.csv")
    la.Policy(**USUAL).save("policy.toml")
    run = CliRunner().invoke(app, ["run", "people.csv", "policy.toml", "-o", "out.csv"])
    assert run.exit_code == 0, run.output
    assert CliRunner().invoke(app, ["verify", "out.csv"]).exit_code == 0
    content = json.loads((tmp_path / "out.csv.certificate.json").read_text())
    assert content["require"]["differential_privacy"]["search_epsilon"] == 0.1
    for verb in (["solve", "-o", "s.json"], ["explain"], ["compare"]):
        refused = CliRunner().invoke(app, [*verb, "people.csv", "policy.toml"])
        assert refused.exit_code == 1, (verb, refused.output)


def test_table_of_is_the_table_of_the_oracle():
    assert table_of(TINY).num_rows == len(TINY)
