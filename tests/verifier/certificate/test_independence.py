"""Two originals that differ only in suppressed rows have the same certificate and public report."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest
from effort import THOROUGH
from suppressed_twins import Twins, twins

import lookalike as la
from lookalike.registry import ALGORITHMS
from lookalike.report.page import page
from lookalike.report.report_file import facts_of
from lookalike.verifier.certificate.public_claim import ALWAYS_PROVE

PARTS = 5
PAIRS = (1_000 if THOROUGH else 50) // PARTS  # in each part
REPORT_EVERY = 10  # a report is made from table and certificate alone, and takes long to draw


def differences(pair: Twins) -> list[str]:
    """The lines of the certificates that differ."""
    first, second = (one.certificate.to_json().splitlines() for one in (pair.first, pair.second))
    if len(first) != len(second):
        return [f"{len(first)} and {len(second)} lines"]
    return [f"{old} | {new}" for old, new in zip(first, second, strict=True) if old != new]


def public_report(release: la.Release) -> str:
    return page(facts_of(release.subject(), "public"))


@pytest.mark.parametrize("part", range(PARTS))
def test_certificates_and_public_reports_do_not_depend_on_suppressed_rows(part):
    rng = random.Random(part)
    seen = 0
    while seen < PAIRS:
        for pair in twins(rng):
            seen += 1
            assert differences(pair) == [], pair.what
            if seen % REPORT_EVERY == 1:
                assert public_report(pair.first) == public_report(pair.second), pair.what


def test_the_algorithms_that_always_prove_are_those_that_are_exact():
    exact = {name for name in ALGORITHMS.names if ALGORITHMS.load(name).exact}
    assert exact >= ALWAYS_PROVE
    assert exact - ALWAYS_PROVE <= {"k-optimize-printed"}


@pytest.mark.parametrize("metric", ["entropy", "precision", "loss"])
def test_a_long_code_that_is_suppressed_leaves_no_trace(metric):
    """It makes the hierarchy higher, and changes frequencies and the number of counted nodes."""
    asked = la.Policy(
        quasi_identifiers={"zip": la.prefix()},
        require=la.KAnonymity(2),
        metric=metric,
        suppress=1,
    )
    texts = set()
    for rare in ("55555", "1234567"):
        table = pa.table({"zip": ["02138", "02138", "02139", "02139", rare]})
        release = la.anonymize(table, asked)
        assert release.solution.suppressed == 1
        texts.add(release.certificate.to_json())
    assert len(texts) == 1
