"""``check``: nothing passes that was not looked at."""

import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli.app import app

TABLE = pa.table(
    {
        "age": ["20"] * 3 + ["30"] * 3,
        "dx": ["flu", "cold", None, "flu", "flu", "flu"],
        "pay": [1, 2, 3, 4, 5, 6],
    }
)
TOWN = pa.table({"age": ["20", "30", "40"], "people": ["8", "3", "9"]})


def policy(*rules):
    return la.Policy(
        quasi_identifiers={"age": la.tree({"adult": ["20", "30", "40"]})},
        sensitive=("dx", "pay"),
        require=rules,
        population=la.Population(TOWN, count="people"),
    )


def test_what_holds_needs_no_mending():
    verdict = la.check(TABLE, ["age"], [la.KAnonymity(3), la.DistinctDiversity("dx", 3)])
    assert [one.holds for one in verdict.findings] == [True, False]
    assert [bool(one.fix) for one in verdict.findings] == [False, True]
    assert "the least diverse class has 1 values" in verdict.findings[1].sentence


@pytest.mark.parametrize(("rule", "passes"), [(la.KMap(3), True), (la.KMap(4), False),
                                              (la.DeltaPresence(0.0, 1.0), True),
                                              (la.DeltaPresence(0.0, 0.5), False)])  # fmt: skip
def test_a_population_is_counted_where_the_policy_names_one(rule, passes):
    verdict = la.check(TABLE, ["age"], policy=policy(rule))
    assert verdict.passed == passes
    assert verdict.findings[0].check == rule.name


def test_a_population_is_met_at_the_level_of_the_table():
    coarse = TABLE.set_column(0, "age", [["adult"] * 6])
    assert la.check(coarse, ["age"], policy=policy(la.KMap(20))).passed
    assert not la.check(coarse, ["age"], policy=policy(la.KMap(21))).passed


@pytest.mark.parametrize(
    ("columns", "rules", "words"),
    [
        (["age"], la.KMap(3), "k-map needs one, and none is given"),
        (["age"], la.DeltaPresence(0.0, 0.5), "needs one, and none is given"),
        (["age"], la.PopulationUniqueness(0.1, 3), "smaller than a table"),
        (["age"], la.AlphaK("dx", 0.5, 2, "Flu"), "no row of dx holds the value named"),
        (["age"], la.TCloseness("dx", 0.1, la.Ordered()), "nulls, which have no rank"),
        (["age", "dx"], la.DistinctDiversity("dx", 2), "both a quasi-identifier and sensitive"),
        (["agee"], la.DistinctDiversity("pain", 2), "2 faults"),
        (["age"], [], "nothing is required"),
        ([], la.KAnonymity(2), "no quasi-identifier is named"),
    ],
)
def test_what_cannot_be_judged_is_a_fault(columns, rules, words):
    with pytest.raises(la.PolicyError, match=words):
        la.check(TABLE, columns, rules)


def test_a_population_smaller_than_its_table_is_a_fault():
    small = la.Population(pa.table({"age": ["20", "30"]}))
    rules = {"quasi_identifiers": {"age": la.flat()}, "sensitive": ("dx", "pay")}
    asked = la.Policy(**rules, require=la.KMap(2), population=small)
    with pytest.raises(la.PolicyError, match="2 people, but the table has 6 rows"):
        la.prepare(TABLE, asked)
    with pytest.raises(la.PolicyError, match="is smaller than a table of 6"):
        la.prepare(TABLE, la.Policy(**rules, require=la.PopulationUniqueness(0.1, 3)))
    with pytest.raises(la.PolicyError, match="no row of dx holds"):
        la.prepare(TABLE, la.Policy(**rules, require=la.AlphaK("dx", 0.5, 2, "Flu")))


def test_without_a_requirement_k_is_that_of_the_command(tmp_path):
    for ages, passed in ((["31"] * 4 + ["58"] * 6, False), (["31"] * 5 + ["58"] * 5, True)):
        table = pa.table({"age": ages})
        assert la.check(table, ["age"]) == la.check(table, ["age"], la.KAnonymity(5))
        assert la.check(table, ["age"]).passed == passed
        pa_csv.write_csv(table, tmp_path / "t.csv")
        ended = CliRunner().invoke(app, ["check", str(tmp_path / "t.csv"), "--by", "age"])
        assert ended.exit_code == (0 if passed else 4)
        assert ("has fewer than 5 rows" in ended.output) != passed
    with pytest.raises(la.PolicyError, match="nothing is required"):
        la.check(table, ["age"], [])
