"""What a form says, read as a policy file would say it."""

import pytest
from starlette.datastructures import FormData

from lookalike.errors import PolicyError
from lookalike.policy.hierarchies.policy_file_form import from_dict
from lookalike.policy.policy_file import loads
from lookalike.web.pages import form_reading as forms
from lookalike.web.project import policy_document as document
from lookalike.web.project.spreadsheet_formulas import is_formula


@pytest.mark.parametrize(
    ("said", "spec"),
    [
        ({"kind": "bands", "widths": "5, 10; 20"}, {"bands": [5, 10, 20]}),
        ({"kind": "bands", "widths": "0.5,1", "start": "2"}, {"bands": [0.5, 1], "start": 2}),
        ({"kind": "prefix", "steps": "1,3", "hide": "left"},
         {"prefix": True, "steps": [1, 3], "hide": "left"}),
        ({"kind": "prefix", "steps": "", "hide": "right"}, {"prefix": True}),
        ({"kind": "dates", "quarters": "yes", "format": "%d.%m.%Y"},
         {"dates": True, "quarters": True, "format": "%d.%m.%Y"}),
        ({"kind": "ordered", "order": "low\n\n mid \nhigh", "order_widths": "2"},
         {"ordered": ["low", "mid", "high"], "widths": [2]}),
        ({"kind": "tree", "tree": "a;x\nb;x\nc;y"}, {"tree": [["a", "x"], ["b", "x"], ["c", "y"]]}),
        ({"kind": "flat", "weight": "2", "finest": "0", "coarsest": "1"},
         {"flat": True, "levels": [0, 1], "weight": 2}),
    ],
)  # fmt: skip
def test_a_hierarchy_is_what_a_policy_file_would_say(said, spec):
    found = forms.hierarchy(FormData(said))
    assert found == spec
    from_dict(found, beside=document.COLUMN_OPTIONS)


def test_a_tree_that_is_sent_goes_before_one_that_is_typed():
    found = forms.hierarchy(FormData({"kind": "tree", "tree": "a;x\nb;y"}), b"\xef\xbb\xbfc,z\nd,z")
    assert found == {"tree": [["c", "z"], ["d", "z"]]}


@pytest.mark.parametrize("widths", ["", "x", "5,7", "-1", "0", "1e999", "nan"])
def test_what_makes_no_sense_is_left_to_the_policys_reader(widths):
    with pytest.raises(PolicyError):
        from_dict(forms.hierarchy(FormData({"kind": "bands", "widths": widths})))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("2%", 0.02), ("0.02", 0.02), ("200", 200), ("0", 0), ("", 0), ("x%", "x%"), ("many", "many")],
)
def test_an_allowance(typed, meant):
    assert forms.allowance(typed) == meant


def test_rules_are_shown_as_they_were_said():
    said = {"k": "5", "rule_0": "max_risk", "number_0": "0.09", "rule_1": "entropy",
            "number_1": "2.5", "column_1": "ill", "rule_2": "ordered", "number_2": "0.2",
            "column_2": "pay", "rule_3": ""}  # fmt: skip
    section = forms.requirements(
        FormData(said), {"alpha_k": [{"column": "ill", "alpha": 0.5, "k": 5}]}
    )
    assert section["k_anonymity"] == 5
    assert section["alpha_k"]
    assert forms.rules_of(section) == [
        ("max_risk", "", 0.09), ("entropy", "ill", 2.5), ("ordered", "pay", 0.2),
    ]  # fmt: skip
    again = forms.requirements(FormData({"k": "5"}), section)
    assert set(again) == {"k_anonymity", "alpha_k"}


def test_a_document_is_a_policy_file_at_any_time():
    columns = [
        {"name": "the name", "role": "identifiers", "hierarchy": {"flat": True}},
        {"name": "age", "role": "quasi_identifiers", "hierarchy": {"bands": [5, 10]}},
        {"name": 'odd "quoted" \\ name', "role": "sensitive", "hierarchy": {"flat": True}},
    ]
    said = document.draft(columns)
    assert document.parse(document.dump(said)) == said
    policy = loads(document.dump(said)).policy
    assert policy.names == ("age",)
    document.set_section(said, "age", "insensitive", {})
    document.set_section(said, "the name", "quasi_identifiers", {"flat": True})
    assert [document.section_of(said, one["name"]) for one in columns] == [
        "quasi_identifiers", "insensitive", "sensitive",
    ]  # fmt: skip
    assert loads(document.dump(said)).policy.names == ("the name",)


@pytest.mark.parametrize(
    ("cell", "runs"),
    [("=1+1", True), ("+cmd", True), ("-x", True), ("@a", True), ("\t=1", True), ("-5", False),
     ("+1.5e3", False), ("5", False), ("", False), ("a=b", False), ("\t5", True)],
)  # fmt: skip
def test_what_a_spreadsheet_would_run(cell, runs):
    assert is_formula(cell) == runs
