"""Sets of columns, weights and levels that cannot be: clear faults, from Python and from TOML."""

import pyarrow as pa
import pytest

import lookalike as la
from lookalike.policy.policy_file import dumps, loads

COLUMNS = {"age": la.flat(), "zip": la.flat(), "sex": la.flat()}


def policy(**more):
    return la.Policy(quasi_identifiers=COLUMNS, require=la.KAnonymity(2), **more)


BAD = [
    ({"linking": {"a": ["age", "zip"], "b": ["zip", "sex"]}}, "linking.b.zip", "not overlap"),
    ({"linking": {"a": ["age", "zip", "sex"], "b": []}}, "linking.b", "the set is empty"),
    ({"linking": {"a": ["age"], "b": ["zip"]}}, "linking.sex", "in no set"),
    ({"linking": {"a": ["age", "zip", "job", "sex"]}}, "linking.a.job", "not a quasi-identifier"),
    ({"linking": {"a": {"age": 1.5, "zip": 1, "sex": 1}}}, "linking.a.age", "from 0 to 1"),
    ({"linking": {"a": {"age": -0.1, "zip": 1, "sex": 1}}}, "linking.a.age", "from 0 to 1"),
    ({"linking": {"a": dict.fromkeys(COLUMNS, 0)}}, "linking.a", "every likelihood is 0"),
    ({"linking": {"a": ["age", "zip", "zip", "sex"]}}, "linking.a.zip", "in it twice"),
    ({"linking": {"": ["age", "zip", "sex"]}}, "linking", "a set has no name"),
    ({"linking": {"a": "age"}}, "linking", "not a dict"),
    ({"linking": ["age"]}, "linking", "not a dict"),
    ({"distort": {"age": 2}}, "distort.age", "from 0 to 1"),
    ({"distort": {"job": 0.5}}, "distort.job", "not a quasi-identifier"),
    ({"identifying": {"age": 4}}, "identifying.age", "0, 1, 2 or 3"),
    ({"identifying": {"age": 1.5}}, "identifying.age", "0, 1, 2 or 3"),
    ({"identifying": {"age": True}}, "identifying.age", "0, 1, 2 or 3"),
    ({"identifying": [1, 2]}, "identifying", "not a dict"),
    ({"eligible": {"age": []}}, "eligible.age", "not a list of values"),
    ({"eligible": {"age": [1]}}, "eligible.age", "not a list of values"),
]


@pytest.mark.parametrize(("given", "where", "said"), BAD)
def test_faults_from_python(given, where, said):
    with pytest.raises(la.PolicyError) as caught:
        policy(**given)
    assert any(f.where == where and said in f.problem for f in caught.value.faults), caught.value
    assert all(fault.fix for fault in caught.value.faults)


BAD_TOML = [
    ("[linking]\na = ['age', 'zip']\nb = ['zip', 'sex']", "linking.b.zip"),
    ("[linking]\na = ['age', 'zip', 'sex']\nb = []", "linking.b"),
    ("[linking]\na = { age = 2, zip = 1, sex = 1 }", "linking.a.age"),
    ("[linking]\na = ['age', 'zip', 'sex', 'age']", "linking.a.age"),
    ("[linking]\n'' = ['age', 'zip', 'sex']", "linking"),
    ("[linking]", "linking"),
    ("[eligible]\nconsent = []", "eligible.consent"),
    ("[spend]\nmodel = 'AG_QS'", "spend.model"),
    ("[spend]\nmodel = 'CS'\nsuppress = 3", "spend.suppress"),
    ("[require]\nanonymity_level = 1", "require.anonymity_level"),
    ("[require]\nk_anonymity = 5\nanonymity_level = 0.8", "require"),
]


@pytest.mark.parametrize(("text", "where"), BAD_TOML)
def test_faults_from_a_file_name_the_place(text, where):
    columns = "[quasi_identifiers]\n" + "".join(f"{n} = {{ flat = true }}\n" for n in COLUMNS)
    require = "" if "[require]" in text else "[require]\nk_anonymity = 2\n"
    with pytest.raises(la.PolicyError) as caught:
        loads(f"{columns}{require}{text}\n")
    assert where in [fault.where for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("key", "value"), [("distort", 1.5), ("identifying", 4), ("identifying", "'most'")]
)
def test_faults_next_to_a_hierarchy_name_the_column(key, value):
    text = (
        f"[quasi_identifiers]\nage = {{ flat = true, {key} = {value} }}\n[require]\nk_anonymity = 2"
    )
    with pytest.raises(la.PolicyError) as caught:
        loads(text)
    assert [fault.where for fault in caught.value.faults] == [f"quasi_identifiers.age.{key}"]


def test_everything_comes_back_from_a_file():
    given = policy(
        model="AG_TS",
        suppress=0.1,
        linking={"voters": ["zip", "sex"], "work": {"age": 0.5}},
        distort={"age": 0.25},
        identifying={"zip": 0},
        eligible={"consent": ["yes", "perhaps"]},
    )
    assert loads(dumps(given)).policy == given
    assert loads(
        "[quasi_identifiers]\nage = { flat = true }\n[require]\nanonymity_level = 0.9"
    ).policy.require == (la.KAnonymity(10),)


def test_max_sup_above_the_rows_is_a_fault():
    table = pa.table({name: ["x", "x", "y"] for name in COLUMNS})
    with pytest.raises(la.PolicyError, match="4 rows may be suppressed, but the table has 3"):
        la.prepare(table, policy(suppress=4))


def test_a_column_for_eligible_rows_must_exist():
    table = pa.table({name: ["x", "x", "y"] for name in COLUMNS})
    with pytest.raises(la.PolicyError, match="no such column"):
        la.prepare(table, policy(eligible={"consent": "yes"}))


def test_when_nobody_is_eligible_nothing_is_released():
    table = pa.table({name: ["x", "x", "y"] for name in COLUMNS})
    with pytest.raises(la.PolicyError, match="no row of the table is eligible"):
        la.anonymize(table, policy(eligible={"age": "nobody"}))
