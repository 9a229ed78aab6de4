"""Dates: every day lies in the month, year and years that its labels say."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest
from hierarchy_laws import climbs, keeps_the_laws, refusal, shown
from hypothesis import given
from hypothesis import strategies as st

from lookalike.errors import PolicyError
from lookalike.policy.hierarchies.dates import dates

days = st.dates(min_value=datetime.date(1, 1, 1))
columns = st.lists(st.one_of(days, st.none()), max_size=20, unique=True)

WRITTEN = {
    "YYYY-MM-DD": lambda day: day.isoformat(),
    "YYYY/MM/DD": lambda day: f"{day.year:04d}/{day.month}/{day.day}",
    "DD.MM.YYYY": lambda day: f"{day.day:02d}.{day.month:02d}.{day.year:04d}",
    "MM/DD/YYYY": lambda day: f"{day.month:02d}/{day.day:02d}/{day.year:04d}",
    "DD/MM/YYYY": lambda day: f"{day.day}/{day.month}/{day.year:04d}",
    "YYYYMMDD": lambda day: f"{day.year:04d}{day.month:02d}{day.day:02d}",
}
TELLING = datetime.date(1999, 12, 31)  # no other format reads this day


def span(label: str) -> tuple[datetime.date, datetime.date]:
    """First and last day of 1965-03, 1965-Q1, 1965 or 1965–1969, read without our code."""
    if "–" in label:
        first, last = label.split("–")
        return datetime.date(max(int(first), 1), 1, 1), datetime.date(int(last), 12, 31)
    year, _, part = label.partition("-")
    if not part:
        return datetime.date(int(year), 1, 1), datetime.date(int(year), 12, 31)
    months = range(int(part[1]) * 3 - 2, int(part[1]) * 3 + 1) if part[0] == "Q" else [int(part)]
    after = datetime.date(int(year) + months[-1] // 12, months[-1] % 12 + 1, 1)
    return datetime.date(int(year), months[0], 1), after - datetime.timedelta(1)


@given(columns.filter(lambda c: all(d is None or d.year < 9990 for d in c)), st.booleans())
def test_every_day_lies_within_its_labels(values, quarters):
    table = keeps_the_laws(dates(quarters=quarters), values)
    assert table.height == 5 + quarters
    for leaf, value in enumerate(values):
        if value is not None:
            for label in shown(table, leaf)[1:-1]:
                first, last = span(label)
                assert first <= value <= last


@given(columns, st.sampled_from(list(WRITTEN)))
def test_a_written_column_climbs_as_the_days_it_means(values, how):
    values = [value for value in values if value != TELLING] + [TELLING]
    written = [None if day is None else WRITTEN[how](day) for day in values]
    meant, read = dates().tabulate("born", values), dates().tabulate("born", written)
    assert meant.labels[1:] == read.labels[1:]
    assert np.array_equal(meant.codes, read.codes)
    assert np.array_equal(meant.order, read.order)


@given(columns)
def test_the_order_is_that_of_the_calendar_with_nulls_last(values):
    ranked = [values[leaf] for leaf in dates().tabulate("born", values).order]
    known = [day for day in ranked if day is not None]
    assert known == sorted(known)
    assert None not in ranked[: len(known)]


def test_a_birth_date_climbs_as_in_sweeney():
    expected = ["1965-03-14", "1965-03", "1965", "1965–1969", "1960–1969", "*"]
    assert climbs(dates(), "1965-03-14") == expected
    assert climbs(dates(), datetime.date(1965, 3, 14)) == expected
    names = [dates().describe(level) for level in range(6)]
    assert names == ["unchanged", "month", "year", "5 years", "10 years", "suppressed (*)"]


def test_days_and_quarters_are_levels_for_the_asking():
    assert climbs(dates(days=True, quarters=True), "1965-03-14 23:59")[1:5] == [
        "1965-03-14",
        "1965-03",
        "1965-Q1",
        "1965",
    ]


def test_a_time_of_day_is_gone_from_level_one_up():
    values = [datetime.datetime(2020, 1, 1, 8), datetime.datetime(2020, 1, 1, 9)]
    assert keeps_the_laws(dates(days=True), values).labels[1] == ("2020-01-01",)
    assert dates().tabulate("seen", values).labels[1] == ("2020-01",)


def test_zones_are_left_aside():
    east = datetime.timezone(datetime.timedelta(hours=9))
    value = datetime.datetime(2021, 1, 1, 1, tzinfo=east)  # in Greenwich it is still 2020
    assert climbs(dates(), value)[1] == "2021-01"
    assert climbs(dates(), "2021-01-01T01:00:00+09:00")[1] == "2021-01"
    keeps_the_laws(
        dates(), [value, "2021-01-01T01:00:00Z", "2021-01-02", datetime.date(2020, 1, 1)]
    )


def test_timestamps_and_datetime64_are_dates_and_not_a_time_is_null():
    table = dates().tabulate(
        "seen", [pd.Timestamp("1965-03-14"), np.datetime64("1965-03-15"), pd.NaT, None]
    )
    assert table.labels[1] == ("1965-03", None)
    assert table.codes[:, 1].tolist() == [0, 0, 1, 1]


def test_numbers_may_be_dates_written_without_signs():
    assert climbs(dates(), 19650314)[1] == "1965-03"
    assert climbs(dates(), 19650314.0)[1] == "1965-03"


def test_the_data_show_which_number_is_the_month():
    assert climbs(dates(), "31/12/1999")[1] == "1999-12"
    assert dates().tabulate("seen", ["02/03/2001", "02/13/2001"]).labels[1] == ("2001-02",)
    assert dates().tabulate("seen", ["02/03/2001", "13/03/2001"]).labels[1] == ("2001-03",)
    assert climbs(dates(), "05/05/2001")[1] == "2001-05"  # both ways the same


def test_a_column_that_reads_two_ways_is_refused_and_format_settles_it():
    values = ["02/03/2001", "04/05/2001", "06/06/2001"]
    error = refusal(dates(), values)
    assert "2 distinct values are ambiguous dates: MM/DD/YYYY or DD/MM/YYYY" in str(error)
    assert "format" in error.faults[0].fix
    table = keeps_the_laws(dates(format="%d/%m/%Y"), values)
    assert shown(table, 0)[1] == "2001-03"


def test_two_digit_years_need_a_format():
    refusal(dates(), ["14.03.65"])
    assert climbs(dates(format="%d.%m.%y"), "14.03.75")[1] == "1975-03"


def test_what_is_no_date_is_counted_and_not_shown():
    error = refusal(dates(), ["1965-03-14", "1965-02-30", "", "secret", None])
    assert "3 distinct values are not dates in the form YYYY-MM-DD" in str(error)
    assert "secret" not in str(error)
    assert error.faults[0].values == ("1965-02-30", "", "secret")
    assert "any of" in str(refusal(dates(), ["yesterday", "today"]))
    assert "%d %B" in str(refusal(dates(format="%d %B %Y"), ["1965-03-14"]))


def test_an_empty_column_and_a_column_of_nulls_have_every_level():
    assert keeps_the_laws(dates(), []).height == 5
    assert keeps_the_laws(dates(), [None]).height == 5


def test_a_format_without_year_or_month_is_refused():
    for pattern in ["%d/%m", "%Y", "nothing", "%%Y-%m"]:
        with pytest.raises(PolicyError, match="no year or no month"):
            dates(format=pattern)


def test_one_value_is_spoken_of_as_one():
    assert "1 distinct value is not a date in the form" in str(refusal(dates(), ["secret"]))
    assert "1 distinct value is an ambiguous date" in str(refusal(dates(), ["02/03/2001"]))
    [fault] = refusal(dates(format="%d.%m.%y"), ["secret"]).faults
    assert fault.problem == "1 distinct value is not a date in the form %d.%m.%y"


def test_zeros_in_front_may_be_left_out():
    table = dates().tabulate("born", ["2020-1-5", "2020-01-06", "2020-11-7 08:30", "2020-1-05"])
    assert table.labels[1] == ("2020-01", "2020-11")
    refusal(dates(), ["2020-13-1"])
    refusal(dates(), ["2020-1"])
