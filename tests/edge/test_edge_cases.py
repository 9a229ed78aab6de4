"""Edge cases: each has a defined behavior, described in docs/reference/edge-cases.md."""

from __future__ import annotations

import math
import pickle
import re
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lookalike as la

FLAT = la.flat()
STAR = la.Conventions(suppressed="star")
METRICS = (
    la.Precision(),
    la.Loss(),
    la.Loss(aggregate="geometric"),
    la.Entropy(),
    la.Discernibility(),
    la.ClassSize(),
    la.Height(),
    la.Classification("kept"),
)
PAGE = Path(__file__).parents[2] / "docs/reference/edge-cases.md"


def policy(quasi: dict[str, Any], k: int = 2, **more: Any) -> la.Policy:
    return la.Policy(quasi_identifiers=quasi, require=la.KAnonymity(k), **more)


def run(table: Any, quasi: dict[str, Any], k: int = 2, **more: Any) -> la.Release:
    return la.anonymize(table, policy(quasi, k, **more))


def column(release: la.Release, name: str = "a") -> list[Any]:
    return list(release.table.column(name).to_pylist())


def levels(release: la.Release) -> tuple[int, ...]:
    assert release.solution.recoding is not None
    return release.solution.recoding.levels


# --- values -------------------------------------------------------------------------------------


def test_nulls_are_alike_and_like_nothing_else() -> None:
    release = run(pa.table({"a": [1, 2, None, None]}), {"a": la.bands(10)})
    assert column(release) == ["[0, 10)", "[0, 10)", None, None]
    alone = run(pa.table({"a": [1, 2, None]}), {"a": la.bands(10)})
    assert column(alone) == ["*", "*", "*"]
    assert alone.solution.suppressed == 0


def test_nulls_can_be_refused() -> None:
    conventions = la.Conventions(nulls="refuse")
    with pytest.raises(la.PolicyError, match="2 rows have a null here"):
        run(pa.table({"a": ["x", None, None, "x"]}), {"a": FLAT}, conventions=conventions)
    kept = pa.table({"a": ["x", "x"], "b": ["y", None]})
    assert run(kept, {"a": FLAT}, sensitive="b", conventions=conventions).certificate.passed


def test_a_column_of_nulls_is_one_class() -> None:
    for kind in (pa.null(), pa.string(), pa.int64()):
        release = run(pa.table({"a": pa.nulls(3, kind)}), {"a": la.bands(5)})
        assert levels(release) == (0,)
        assert column(release) == [None, None, None]


def test_empty_text_is_a_value_and_not_null(tmp_path: Path) -> None:
    release = run(pa.table({"a": ["", "", None, None]}), {"a": FLAT})
    assert column(release) == ["", "", None, None]
    path = release.write(tmp_path / "out.csv")
    assert path.read_text() == 'a\n""\n""\n\n\n'
    assert la.verify(path, release.certificate).passed
    masked = run(pa.table({"a": ["", "ab", "ab", ""]}), {"a": la.prefix()}, levels={"a": (1, 1)})
    assert column(masked) == ["**", "**", "a*", "a*"]


def test_nan_counts_as_null() -> None:
    table = pa.table({"a": [1.0, float("nan"), None, 1.0]})
    release = run(table, {"a": FLAT})
    assert release.solution.classes == 2
    assert release.solution.cost == 0
    with pytest.raises(la.PolicyError, match="2 rows have a null"):
        run(table, {"a": FLAT}, conventions=la.Conventions(nulls="refuse"))


@pytest.mark.parametrize(
    "values",
    [
        [1.0, 1.0, float("nan"), None],
        [0.0, -0.0, 1.0, 1.0],
        [Decimal("1.0"), Decimal("1.00"), Decimal(2), Decimal(2)],
        [1, "1", "x", "x"],
    ],
    ids=["NaN and null", "zeros", "decimals", "1 and '1'"],
)
def test_rows_of_one_class_look_the_same_in_the_release(values: list[Any]) -> None:
    """A person who sees the frame must not be able to distinguish what was counted as equal."""
    frame = pd.DataFrame({"a": pd.Series(values, dtype=object)})
    shown = Counter(repr(value) for value in run(frame, {"a": FLAT}).table["a"].tolist())
    assert min(shown.values()) >= 2


def test_mixed_types_count_as_their_text() -> None:
    frame = pd.DataFrame({"a": pd.Series([1, "1", 1.0, "x", "x"], dtype=object)})
    release = run(frame, {"a": FLAT})
    assert release.solution.classes == 2
    assert levels(release) == (0,)
    with pytest.raises(la.PolicyError, match="1 distinct value is not numeric"):
        run(frame, {"a": la.bands(5)})


def test_any_script_goes_through_unharmed(tmp_path: Path) -> None:
    words = ["日本", "日本", "é", "é", "👩‍👩‍👧", "👩‍👩‍👧", "مرحبا", "مرحبا", "a\u0301", "a\u0301"]
    table = pa.table({"grüße 日": words, "kept": [word[::-1] for word in words]})
    release = run(table, {"grüße 日": FLAT}, sensitive="kept")
    assert Counter(column(release, "grüße 日")) == Counter(words)
    for suffix in (".csv", ".parquet"):
        path = release.write(tmp_path / f"out{suffix}")
        assert la.verify(path, release.certificate).passed
    masked = run(table, {"grüße 日": la.prefix()}, levels={"grüße 日": (4, 4)}, sensitive="kept")
    assert "日****" in column(masked, "grüße 日")  # a character is a code point


def test_infinite_numbers_are_values_but_have_no_band() -> None:
    table = pa.table({"a": [1.0, math.inf, math.inf, 1.0]})
    assert column(run(table, {"a": FLAT})) == [1.0, 1.0, math.inf, math.inf]
    with pytest.raises(la.PolicyError, match="1 distinct value is infinite"):
        run(table, {"a": la.bands(5)})


def test_huge_numbers_are_banded_exactly() -> None:
    big = 2**63 - 8
    release = run(pa.table({"a": [big + i for i in range(4)]}), {"a": la.bands(5, 10)})
    low = big // 10 * 10  # ends in 0, as big ends in 0: all four share the narrow band
    assert set(column(release)) == {f"[{low}, {low + 5})"}
    beyond = pd.DataFrame({"a": pd.Series([2**70, 2**70 + 1], dtype=object)})
    assert levels(run(beyond, {"a": la.bands(10)})) == (1,)
    floats = run(pa.table({"a": [1e308, 1e308, 5e-324, 5e-324]}), {"a": la.bands(5)})
    assert levels(floats) == (0,)
    with pytest.raises(la.PolicyError, match="infinite or too large"):
        run(pa.table({"a": ["9" * 500] * 2}), {"a": la.bands(5)})


def test_very_long_text_is_kept_whole(tmp_path: Path) -> None:
    long = "x" * 300_000
    table = pa.table({"a": [long, long], "kept": [long + "1", long + "2"]})
    release = run(table, {"a": FLAT}, sensitive="kept", accept={"kept": "invented texts"})
    assert column(release, "kept") == [long + "1", long + "2"]
    assert la.verify(release.write(tmp_path / "out.csv"), release.certificate).passed
    with pytest.raises(la.PolicyError, match="300000 characters: too many for one level each"):
        run(table, {"a": la.prefix()}, sensitive="kept")
    near = pa.table({"a": [long + "1", long + "2"]})
    assert column(run(near, {"a": la.prefix(steps=(1,))})) == [long + "*"] * 2


# --- columns ------------------------------------------------------------------------------------


def test_odd_column_names_are_just_names(tmp_path: Path) -> None:
    odd = ["select", 'a "b"', "c-d e", "*", "count", "c0", "x;y,z", "'", "--", "label"]
    table = pa.table({name: ["v", "v"] for name in odd})
    release = run(table, dict.fromkeys(odd[:5], FLAT), sensitive=odd[5:])
    assert release.table.column_names == odd
    for suffix in (".csv", ".parquet"):
        assert la.verify(release.write(tmp_path / f"o{suffix}"), release.certificate).passed


def test_a_column_name_twice_is_a_fault() -> None:
    twice = pa.table([pa.array(["x"]), pa.array(["y"])], names=["a", "a"])
    with pytest.raises(la.TableError, match="columns 1 and 2 have the same name"):
        run(twice, {"a": FLAT})
    case = pa.table({"a": ["x"], "A": ["y"]})
    with pytest.raises(la.TableError, match="differ in case only"):
        run(case, {"a": FLAT, "A": FLAT})


def test_a_constant_column_never_needs_coarsening() -> None:
    table = pa.table({"a": ["x"] * 4, "b": ["1", "1", "2", "2"]})
    for metric in (la.Precision(), la.Height(), la.Discernibility(), la.ClassSize()):
        release = run(table, {"a": FLAT, "b": FLAT}, metric=metric)
        assert levels(release) == (0, 0), metric.name


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_no_column_is_coarsened_for_nothing(metric: Any) -> None:
    """Where a coarser node costs the same, the finer one should be taken."""
    table = pa.table({"a": ["x"] * 4, "b": ["1"] * 4, "kept": list("pqrs")})
    assert levels(run(table, {"a": FLAT, "b": FLAT}, metric=metric, sensitive="kept")) == (0, 0)


def test_a_column_of_distinct_values_is_banded_or_starred() -> None:
    ages = pa.table({"a": list(range(50))})
    release = run(ages, {"a": la.bands(5, 10)}, k=5)
    assert levels(release) == (1,)
    assert set(Counter(column(release)).values()) == {5}
    assert set(column(run(ages, {"a": FLAT}))) == {"*"}


def test_a_column_at_level_zero_keeps_its_type() -> None:
    numbers = pa.array([1, 1, 2, 2], pa.int16())
    release = run(pa.table({"a": numbers}), {"a": la.bands(5)})
    assert release.table.schema.field("a").type == pa.int16()
    frame = pl.DataFrame({"a": [1, 1, 2, 2]}, schema={"a": pl.UInt8})
    assert run(frame, {"a": la.bands(5)}).table.schema["a"] == pl.UInt8
    pandas = pd.DataFrame({"a": pd.Categorical(["x", "x", "y", "y"])})
    assert isinstance(run(pandas, {"a": FLAT}).table["a"].dtype, pd.CategoricalDtype)
    coarse = run(pa.table({"a": numbers}), {"a": la.bands(5)}, levels={"a": (1, 2)})
    assert coarse.table.schema.field("a").type == pa.string()


def test_starred_rows_turn_every_quasi_identifier_into_text() -> None:
    table = pa.table({"a": [1, 1, 2, 2, 3, 4], "b": [5] * 6})
    release = run(table, {"a": FLAT, "b": FLAT}, suppress=2, conventions=STAR)
    assert levels(release) == (0, 0)
    assert column(release) == ["*", "*", "1", "1", "2", "2"]
    assert column(release, "b") == ["*", "*", "5", "5", "5", "5"]


# --- sizes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_no_rows_give_no_rows(metric: Any) -> None:
    text = pa.array([], pa.string())
    table = pa.table({"a": text, "kept": text})
    release = run(table, {"a": FLAT}, metric=metric, sensitive="kept", suppress=0.5)
    assert release.table.num_rows == 0
    assert release.table.column_names == ["a", "kept"]
    assert release.solution.status is la.OPTIMAL
    assert "empty" in release.certificate.to_json()
    assert la.verify(release.table, release.certificate).passed


@pytest.mark.parametrize("by", ["k-optimize", "greedy"])
def test_no_rows_cannot_be_cut(by: str) -> None:
    policy = la.Policy(
        quasi_identifiers={"a": FLAT}, require=la.KAnonymity(2), metric="discernibility"
    )
    problem = la.prepare(pa.table({"a": pa.array([], pa.string())}), policy)
    with pytest.raises(la.NotSuited, match="the table has no rows"):
        la.solve(problem, by)


def test_one_row_cannot_be_released() -> None:
    for more in ({}, {"suppress": 1.0}):
        with pytest.raises(la.PolicyError, match="one row alone cannot be released"):
            run(pa.table({"a": ["x"]}), {"a": FLAT}, **more)


def test_k_above_the_number_of_rows_is_a_fault() -> None:
    with pytest.raises(la.PolicyError, match="needs 5 rows, but the table has 3"):
        run(pa.table({"a": ["x", "x", "x"]}), {"a": FLAT}, k=5)


def test_k_of_all_rows_makes_one_class() -> None:
    release = run(pa.table({"a": ["x", "y", "z"], "b": ["1"] * 3}), {"a": FLAT, "b": FLAT}, k=3)
    assert levels(release) == (1, 0)
    assert release.solution.classes == 1


def test_identical_rows_are_released_as_they_are() -> None:
    release = run(pa.table({"a": ["x"] * 9, "b": [1] * 9}), {"a": FLAT, "b": FLAT}, k=9)
    assert column(release) == ["x"] * 9
    assert release.solution.cost == 0


def test_a_table_that_is_already_anonymous_costs_nothing() -> None:
    table = pa.table({"a": ["x", "x", "y", "y"], "b": [1, 1, 2, 2]})
    for metric in METRICS[:4]:
        release = run(table, {"a": FLAT, "b": la.bands(5)}, metric=metric)
        assert release.solution.cost == pytest.approx(0)
        assert levels(release) == (0, 0)
        assert release.solution.suppressed == 0


def test_more_combinations_than_fit_one_integer_can_be_counted() -> None:
    """Twelve columns of a hundred values: 10^24 combinations, past 2^63."""
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 100, (60, 12))
    rows[:40] = np.repeat(rows[:20], 2, axis=0)  # pairs, and twenty rows like no other
    rows = np.vstack([rows, np.tile(np.arange(100)[:, None], 12)])  # every value occurs
    # The hash weighs column a by (c + 2a)³, whose fourth differences vanish: this row's hash is
    # that of the row of tens, so only comparing them tells the two apart.
    rows = np.vstack([rows, [11, 6, 16, 6, 11, *[10] * 7]])
    table = pa.table({f"q{a}": [f"{v:02}" for v in rows[:, a]] for a in range(12)})
    quasi = {name: la.prefix() for name in table.column_names}
    pinned = dict.fromkeys(table.column_names, (0, 0))
    release = run(table, quasi, suppress=121, levels=pinned)
    assert release.solution.suppressed == 121
    assert release.solution.classes == 20
    problem = la.prepare(table, policy(quasi, suppress=120))
    for node in ((0,) * 12, (1,) * 11 + (0,), (0, 1) * 6):
        shown = [tuple(v[: 2 - n] for v, n in zip(row, node, strict=True)) for row in
                 zip(*table.to_pydict().values(), strict=True)]  # fmt: skip
        alone = sum(size for size in Counter(shown).values() if size < 2)
        assert problem.evaluate_node(node).suppressed == alone


# --- what may be spent --------------------------------------------------------------------------


def test_suppressing_everything_is_no_release() -> None:
    distinct = pa.table({"a": ["x", "y", "z"]})
    release = run(distinct, {"a": FLAT}, suppress=1.0)
    assert column(release) == ["*", "*", "*"]
    with pytest.raises(la.Infeasible) as caught:
        run(distinct, {"a": FLAT}, suppress=1.0, levels={"a": (0, 0)})
    assert "suppresses all rows" in str(caught.value)


def test_infeasible_does_not_advise_to_suppress_every_row() -> None:
    with pytest.raises(la.Infeasible) as caught:
        run(pa.table({"a": ["x", "y", "z"]}), {"a": FLAT}, levels={"a": (0, 0)})
    assert "suppresses 3 of 3 rows" in str(caught.value)
    assert "set suppress" not in str(caught.value)
    with pytest.raises(la.Infeasible, match="set suppress to 1 or more"):
        run(pa.table({"a": ["x", "x", "z"]}), {"a": FLAT}, levels={"a": (0, 0)})


def test_more_rows_to_suppress_than_there_are_is_a_fault() -> None:
    table = pa.table({"a": ["x", "x", "z"]})
    with pytest.raises(la.PolicyError, match="4 rows may be suppressed, but the table has 3"):
        run(table, {"a": FLAT}, suppress=4)
    assert run(table, {"a": FLAT}, suppress=3).solution.suppressed == 1


def test_one_is_a_row_and_one_point_zero_is_all_of_them() -> None:
    table = pa.table({"a": ["x", "x", "y", "z"]})
    assert column(run(table, {"a": FLAT}, suppress=1)) == ["*"] * 4
    assert column(run(table, {"a": FLAT}, suppress=1.0)) == ["x", "x"]


def test_a_share_is_rounded_down_but_not_by_the_noise_of_floats() -> None:
    asked = policy({"a": FLAT}, suppress=0.29)
    assert asked.allowance(100) == 29  # 0.29 * 100 is 28.999999999999996
    assert asked.allowance(10) == 2
    assert policy({"a": FLAT}, suppress=0.1).allowance(9) == 0


def test_a_column_of_weight_zero_is_coarsened_first() -> None:
    table = pa.table({"a": ["x", "y", "x", "y"], "b": ["1", "1", "2", "2"]})
    release = run(table, {"a": FLAT, "b": FLAT}, weights={"a": 0})
    assert levels(release) == (1, 0)
    assert release.solution.cost == 0
    with pytest.raises(la.PolicyError, match="weights: all are 0"):
        policy({"a": FLAT}, weights={"a": 0})


def test_level_bounds_are_kept_or_refused() -> None:
    table = pa.table({"a": [1, 1, 12, 12]})
    bounded = run(table, {"a": la.bands(5, 10)}, levels={"a": (2, 2)})
    assert levels(bounded) == (2,)
    assert column(bounded) == ["[0, 10)", "[0, 10)", "[10, 20)", "[10, 20)"]
    with pytest.raises(la.PolicyError, match="level 5 is above the top of the hierarchy, level 3"):
        run(table, {"a": la.bands(5, 10)}, levels={"a": (0, 5)})
    for bounds in ((2, 1), (-1, 2), (1,), (0.0, 1)):
        with pytest.raises(la.PolicyError, match="not a pair of levels"):
            policy({"a": FLAT}, levels={"a": bounds})


def test_starred_rows_hide_among_themselves_or_not_at_all() -> None:
    table = pa.table({"a": ["x", "x", "x", "y"]})
    own = run(table, {"a": FLAT}, suppress=2, conventions=STAR)
    assert column(own) == ["*"] * 4  # one starred row would stand alone: coarsen instead
    wild = la.Conventions(suppressed="star", stars="wildcard")
    assert column(run(table, {"a": FLAT}, suppress=2, conventions=wild)) == ["*", "x", "x", "x"]
    with pytest.raises(la.Infeasible, match="or fewer than k rows"):
        run(table, {"a": FLAT}, suppress=2, conventions=STAR, levels={"a": (0, 0)})


def test_a_star_in_the_data_is_a_value_like_any_other() -> None:
    table = pa.table({"a": ["x", "x", "*", "z"]})
    release = run(table, {"a": FLAT}, suppress=2, conventions=STAR)
    assert column(release) == ["*", "*", "x", "x"]
    assert release.solution.suppressed == 2
    assert column(run(pa.table({"a": ["*", "*"]}), {"a": FLAT})) == ["*", "*"]


def test_a_null_is_a_label_of_the_class_column() -> None:
    """Two rows with the label null agree with each other and with nothing else."""
    table = pa.table({"a": ["x"] * 3 + ["y"] * 3, "kept": ["p", None, None, "p", "p", None]})
    release = run(table, {"a": FLAT}, sensitive="kept", metric=la.Classification("kept"))
    assert release.solution.cost == 2
    assert levels(release) == (0,)
    nothing = pa.table({"a": ["x", "x"], "kept": pa.nulls(2, pa.string())})
    release = run(nothing, {"a": FLAT}, sensitive="kept", metric=la.Classification("kept"))
    assert release.solution.cost == 0


# --- messages -----------------------------------------------------------------------------------

SECRET = "Zebulon-X99"


def leaks() -> dict[str, Any]:
    """Calls that fail over a table that holds the secret."""
    one = pa.table({"a": ["1", "2", SECRET]})
    dated = pa.table({"a": ["2020-01-01", "2020-01-02", SECRET]})
    return {
        "bands": lambda: run(one, {"a": la.bands(5)}),
        "tree": lambda: run(one, {"a": la.tree({"g": ["1", "2"]})}),
        "tree, twice": lambda: la.tree([[SECRET, "g"], [SECRET, "h"]]),
        "tree, torn": lambda: la.tree([["1", SECRET, "a"], ["2", SECRET, "b"]]),
        "ordered": lambda: run(one, {"a": la.ordered(["1", "2"])}),
        "ordered, twice": lambda: la.ordered([SECRET, SECRET]),
        "dates": lambda: run(dated, {"a": la.dates()}),
        "dates by format": lambda: run(dated, {"a": la.dates(format="%Y-%m-%d")}),
        "prefix": lambda: run(pa.table({"a": [SECRET * 50] * 2}), {"a": la.prefix()}),
        "infeasible": lambda: run(one, {"a": FLAT}, levels={"a": (0, 0)}),
        "k": lambda: run(one, {"a": FLAT}, k=9),
        "suppress": lambda: run(one, {"a": FLAT}, suppress=9),
        "role": lambda: run(one.append_column("b", [[SECRET] * 3]), {"a": FLAT}),
        "no such column": lambda: run(one, {"b": FLAT}),
        "not suited": lambda: la.anonymize(one, policy({"a": FLAT}), limits=la.Limits(checks=0)),
        "changed": lambda: la.release(
            pa.table({"a": [SECRET] * 3}),
            problem := la.prepare(pa.table({"a": ["1"] * 3}), policy({"a": FLAT})),
            la.solve(problem),
        ),
        "verify": lambda: la.verify(
            one, run(pa.table({"a": ["1"] * 3}), {"a": FLAT}).certificate
        ).expect_passed(),
    }


@pytest.mark.parametrize("call", leaks())
def test_no_message_shows_a_cell(call: str) -> None:
    with pytest.raises(la.LookalikeError) as caught:
        leaks()[call]()
    error = caught.value
    for shown in (str(error), repr(error), repr(error.faults), str(error.faults[0])):
        assert SECRET not in shown
    assert error.__cause__ is None or SECRET not in repr(error.__cause__)
    assert error.faults[0].fix


def test_values_are_shown_on_request_only() -> None:
    with pytest.raises(la.PolicyError) as caught:
        leaks()["bands"]()
    assert SECRET in caught.value.text(show_values=True)
    assert SECRET in pickle.loads(pickle.dumps(caught.value)).text(show_values=True)
    assert SECRET not in caught.value.text()


def test_no_message_quotes_a_file(tmp_path: Path) -> None:
    spoilt = {
        "width": f"a,b\n1,2\n{SECRET}\n",
        "quote": f'a,b\n1,"{SECRET}\n',
        "no names": f"1,{SECRET}\n2,3\n",
        "one twice": f"{SECRET},{SECRET}\n1,2\n",
    }
    for name, text in spoilt.items():
        path = tmp_path / f"{name}.csv"
        path.write_text(text)
        with pytest.raises(la.LookalikeError) as caught:
            run(path, {"a": FLAT, "b": FLAT})
        assert SECRET not in str(caught.value), name


# --- the page -----------------------------------------------------------------------------------


def test_the_page_and_the_tests_tell_the_same_cases() -> None:
    told = re.findall(r"`(test_\w+)`", PAGE.read_text(encoding="utf-8"))
    tested = [name for name in globals() if name.startswith("test_") and "page" not in name]
    assert sorted(told) == sorted(tested)
