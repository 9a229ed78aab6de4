"""The kept columns of a table: the examples of the issue, acceptance, sentences, edge cases."""

import datetime
import math
import random

import pyarrow as pa
import pytest

import lookalike as la
from lookalike.errors import LookalikeError
from lookalike.risks.kept_columns.findings import KeptColumnFinding, Kind
from lookalike.risks.kept_columns.screening import screen_kept_columns
from lookalike.tables.open import open_table

RNG = random.Random(1)
ROWS = 517
WAGE = [round(math.exp(RNG.gauss(1.6, 0.5)), 2) for _ in range(ROWS)]
AGE = [RNG.randint(18, 90) for _ in range(ROWS)]
SEX = [RNG.choice("fm") for _ in range(ROWS)]
BORN = [2020 - age - RNG.randint(0, 1) for age in AGE]


def screened(columns, quasi, *, identifiers=(), k=5, **options):
    policy = la.Policy(
        quasi_identifiers={name: la.flat() for name in quasi},
        identifiers=identifiers,
        insensitive=tuple(n for n in columns if n not in quasi and n not in identifiers),
        require=la.KAnonymity(k),
    )
    return screen_kept_columns(open_table(pa.table(columns)), policy, **options)


def test_a_kept_wage_restores_the_logarithm_that_is_generalized():
    table = {"lwage": [math.log(wage) for wage in WAGE], "sex": SEX, "wage": WAGE}
    (finding,) = screened(table, ["lwage", "sex"]).refused()
    assert finding.columns == ("wage",)
    assert finding.reveals == ("lwage",)
    assert finding.kind == Kind.LOGARITHM
    assert finding.share == 1
    assert finding.rows == sum(WAGE.count(wage) < 5 for wage in WAGE)
    assert "wage (kept) restores lwage (generalized)" in finding.sentence
    assert f"{finding.rows} of 517 rows" in finding.sentence


def test_a_kept_year_of_birth_restores_an_age_that_is_generalized():
    screening = screened({"age": AGE, "sex": SEX, "birth_year": BORN}, ["age", "sex"], k=20)
    (finding,) = screening.refused()
    assert finding.kind == Kind.DATE_AND_AGE
    assert finding.columns == ("birth_year",)
    fit = [sum(born + age in (2019, 2020) for born in BORN) for age in AGE]
    assert finding.rows == sum(rows < 20 for rows in fit)


def test_a_dropped_date_of_birth_is_restored_by_a_kept_age():
    day = datetime.date(2020, 7, 1)
    births = [day - datetime.timedelta(RNG.randrange(18 * 366, 33_000)) for _ in range(ROWS)]
    ages = [day.year - b.year - ((b.month, b.day) > (7, 1)) for b in births]
    table = {"born": births, "sex": SEX, "age": ages}
    (finding,) = screened(table, ["sex"], identifiers=["born"]).refused()
    assert finding.reveals == ("born",)
    assert finding.rows == sum(ages.count(age) < 5 for age in ages)
    assert "born (dropped)" in finding.sentence


def test_two_columns_restore_two_quasi_identifiers_together():
    job = [RNG.randrange(30) for _ in range(ROWS)]
    place = [RNG.randrange(30) for _ in range(ROWS)]
    table = {
        "job": [f"job {j}" for j in job],
        "place": [f"place {p}" for p in place],
        "job_code": [f"J{j * 7 % 30}" for j in job],
        "area": [f"A{p * 11 % 30}" for p in place],
    }
    screening = screened(table, ["job", "place"])
    (finding,) = (f for f in screening.refused() if f.kind == Kind.TOGETHER)
    pairs = list(zip(job, place, strict=True))
    assert finding.rows == sum(pairs.count(pair) < 5 for pair in pairs)
    alone = {f.columns: f for f in screening.refused() if f is not finding}
    assert alone.keys() == {("job_code",), ("area",)}
    for each in alone.values():  # neither puts a row at risk alone, without the other column
        assert each.rows == finding.rows
        assert "a person who also knows the other quasi-identifiers" in each.sentence


def test_a_restored_column_puts_rows_at_risk_by_what_else_is_known():
    """As many rows fit each age as are wanted, but few fit an age, a place and a sex."""
    age = [20 + i % 50 for i in range(ROWS)]
    place = [RNG.randrange(6) for _ in range(ROWS)]
    table = {"age": age, "place": [f"place {p}" for p in place], "born": [2000 - a for a in age]}
    (finding,) = screened(table, ["age", "place"]).refused()
    assert finding.columns == ("born",)
    known = list(zip(age, place, strict=True))
    assert finding.rows == sum(known.count(pair) < 5 for pair in known) > 0


def test_a_relation_that_puts_nobody_at_risk_is_shown_and_not_refused():
    age = [20 + i % 10 for i in range(ROWS)]
    table = {"age": age, "sex": ["mf"[a % 2] for a in age], "born": [2000 - a for a in age]}
    screening = screened(table, ["age", "sex"])
    assert not screening.refused()
    assert any(
        "This alone leaves no row with fewer than 4" in f.sentence for f in screening.findings
    )


def test_a_pair_is_accepted_only_if_both_columns_are():
    one, two = ([RNG.randrange(400) for _ in range(ROWS)] for _ in range(2))
    both = [a + b for a, b in zip(one, two, strict=True)]
    screening = screened({"total": both, "one": one, "two": two}, ["total"])
    (finding,) = screening.refused()
    assert finding.columns == ("one", "two")
    assert screening.refused(["one"]) == (finding,)
    assert screening.refused(["one", "two"]) == ()


def test_what_is_accepted_is_still_shown():
    screening = screened({"lwage": [math.log(w) for w in WAGE], "wage": WAGE}, ["lwage"])
    assert screening.refused({"wage": "the study is about wages"}) == ()
    assert any(finding.refuses for finding in screening.findings)
    assert screening.sentences[0] == screening.findings[0].sentence


def test_k_is_that_of_the_policy_unless_it_is_given():
    table = {"q": SEX, "wage": WAGE}
    assert screened(table, ["q"], k=7).k == 7
    assert screened(table, ["q"], k=7).findings == screened(table, ["q"]).findings
    policy = la.Policy(
        quasi_identifiers={"q": la.flat()},
        sensitive="wage",
        require=(la.DistinctDiversity("wage", 3), la.KAnonymity(4)),
    )
    assert screen_kept_columns(open_table(pa.table(table)), policy).k == policy.smallest
    assert screen_kept_columns(open_table(pa.table(table)), policy, k=9).k == 9
    with pytest.raises(ValueError, match="k is 1"):
        screen_kept_columns(open_table(pa.table(table)), policy, k=1)


def test_singling_out_alone_refuses_nothing():
    table = {"sex": SEX, "pressure": [RNG.gauss(120, 20) for _ in range(ROWS)]}
    screening = screened(table, ["sex"])
    assert not screening.findings
    assert screening.singling_out[-1].rows == ROWS
    assert "517 of 517 rows are unique over what is kept in pressure." in screening.sentences


def test_sentences_and_findings_never_show_a_cell():
    names = [f"Xanthippe Q{i}" for i in range(ROWS)]
    table = {"lwage": [math.log(w) for w in WAGE], "wage": WAGE, "who": names}
    screening = screened(table, ["lwage"])
    shown = repr(screening) + " ".join(screening.sentences)
    assert "Xanthippe" not in shown
    assert not any(repr(wage) in shown for wage in WAGE if wage > 20)


@pytest.mark.parametrize(
    "columns",
    [
        {"q": [], "x": []},
        {"q": ["a"], "x": [1]},
        {"q": [None, None, None], "x": [1.5, None, 2.5]},
        {"q": ["a"] * 30, "x": [None] * 30},
        {"q": [1.0, math.inf, -math.inf, math.nan] * 10, "x": [True, False] * 20},
    ],
)
def test_small_empty_and_odd_tables(columns):
    if not columns["q"]:
        columns = {name: pa.array([], pa.string()) for name in columns}
    screening = screened(columns, ["q"])
    assert screening.refused() == ()


def test_a_policy_without_kept_columns_has_nothing_to_screen():
    screening = screened({"q": SEX}, ["q"])
    assert screening.findings == ()
    assert screening.singling_out == ()
    assert screening.rows == ROWS


def test_rows_that_will_not_be_released_do_not_count():
    policy = la.Policy(
        quasi_identifiers={"lwage": la.flat(), "sex": la.flat()},
        insensitive="wage",
        require=la.KAnonymity(5),
        eligible={"sex": ["f"]},
    )
    table = pa.table({"lwage": [math.log(w) for w in WAGE], "sex": SEX, "wage": WAGE})
    screening = screen_kept_columns(open_table(table), policy)
    women = [wage for wage, sex in zip(WAGE, SEX, strict=True) if sex == "f"]
    assert screening.rows == len(women)
    assert screening.refused()[0].rows == sum(women.count(wage) < 5 for wage in women)


def test_a_finding_cannot_be_wrong():
    with pytest.raises(ValueError, match="at least one kept column"):
        KeptColumnFinding((), Kind.TEXT, (), 0, False, "")
    with pytest.raises(ValueError, match="rows is -1"):
        KeptColumnFinding(("x",), Kind.TEXT, (), -1, False, "")
    with pytest.raises(ValueError, match="share is 2"):
        KeptColumnFinding(("x",), Kind.TEXT, (), 1, False, "", 2)
    assert not issubclass(ValueError, LookalikeError)
