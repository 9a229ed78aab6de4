"""Policy files: what is written is read back, and every fault of a file is said at once."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.cost.class_size import ClassSize
from lookalike.cost.classification import Classification
from lookalike.cost.discernibility import Discernibility
from lookalike.cost.entropy import Entropy
from lookalike.cost.height import Height
from lookalike.cost.loss import Loss
from lookalike.cost.precision import Precision
from lookalike.errors import PolicyError
from lookalike.policy.conventions import Conventions
from lookalike.policy.hierarchies.bands import bands
from lookalike.policy.hierarchies.dates import dates
from lookalike.policy.hierarchies.flat import flat
from lookalike.policy.hierarchies.ordered import ordered
from lookalike.policy.hierarchies.prefix import prefix
from lookalike.policy.hierarchies.tree import tree
from lookalike.policy.metric_names import metric_to
from lookalike.policy.policy import Policy
from lookalike.policy.policy_file import (
    PolicyFile,
    SearchSettings,
    dumps,
    from_dict,
    load,
    loads,
    metric_from,
)
from lookalike.policy.toml_writer import toml_key, toml_value
from lookalike.privacy.k_anonymity import KAnonymity

EXAMPLE = """
identifiers = ["name", "ssn"]
sensitive   = ["diagnosis"]
insensitive = ["ward"]
[quasi_identifiers]
age = { bands = [5, 10, 20], weight = 2.0 }
zip = { prefix = true, levels = [1, 3] }        # never finer than 1, never coarser than 3
job = { tree = "hierarchies/job.csv" }
[require]
k_anonymity = 5
[spend]
metric = "precision"
suppress = 0.02
[conventions]
nulls = "refuse"
[search]
by = "flash"
seconds = 300
want = "optimal"
seed = 7
checks = 1000
"""
LEAST = "[quasi_identifiers]\nsex = { flat = true }\n[require]\nk_anonymity = 2\n"

names = st.text(min_size=0, max_size=8).filter(lambda name: name.isprintable() or "\n" in name)
texts = st.text(max_size=6)
hierarchies = st.one_of(
    st.just(flat()),
    st.builds(lambda w, s: bands(w, 2 * w, start=s), st.integers(1, 99), st.floats(-9, 9)),
    st.builds(lambda tenths: bands(tenths / 10), st.integers(1, 99)),
    st.builds(
        lambda steps, side: prefix(steps=sorted(steps), hide=side),
        st.sets(st.integers(1, 9)),
        st.sampled_from(["left", "right"]),
    ),
    st.builds(
        lambda days, quarters, form: dates(days=days, quarters=quarters, format=form),
        st.booleans(),
        st.booleans(),
        st.sampled_from([None, "%d/%m/%Y", '%d "%B" %Y']),
    ),
    st.lists(texts, min_size=1, unique=True).map(ordered),
    st.lists(texts, min_size=1, unique=True).map(lambda leaves: tree({"group": leaves})),
)
metrics = st.sampled_from(
    [
        Precision(),
        Discernibility(),
        Loss(),
        Loss(aggregate="geometric"),
        ClassSize(),
        Entropy(),
        Height(),
    ]
)
searches = st.builds(
    SearchSettings,
    seconds=st.one_of(st.none(), st.floats(0.1, 1e6)),
    checks=st.one_of(st.none(), st.integers(1)),
    seed=st.integers(0),
)


def faults(text: str, base: object = ".") -> dict[str, str]:
    with pytest.raises(PolicyError) as caught:
        loads(text, base)
    return {fault.where: f"{fault.problem}; {fault.fix}" for fault in caught.value.faults}


@given(
    st.lists(names, min_size=4, max_size=6, unique=True),
    st.lists(hierarchies, min_size=2, max_size=2),
    metrics,
    st.one_of(st.integers(0, 99), st.floats(0, 1)),
    searches,
)
def test_every_policy_is_read_back_as_it_was_written(columns, levels, metric, suppress, search):
    first, second, *rest = columns
    policy = Policy(
        quasi_identifiers={first: levels[0], second: levels[1]},
        identifiers=rest[:1],
        sensitive=rest[1:2],
        insensitive=rest[2:],
        require=(KAnonymity(3),),
        suppress=suppress,
        metric=metric,
        weights={first: 2.5},
        levels={second: (0, 1)},
        conventions=Conventions(nulls="refuse", stars="wildcard", suppressed="star"),
    )
    assert loads(dumps(policy, search)) == PolicyFile(policy, search)
    assert type(loads(dumps(policy)).policy.suppress) is type(suppress)


@given(st.text(), st.text())
def test_any_text_survives_as_key_and_as_value(key, value):
    assert tomllib.loads(f"{toml_key(key)} = {toml_value(value)}") == {key: value}


def test_the_example_of_the_design_loads(tmp_path):
    (tmp_path / "hierarchies").mkdir()
    (tmp_path / "hierarchies" / "job.csv").write_text("nurse;health\nclerk;office\n")
    (tmp_path / "policy.toml").write_text(EXAMPLE, encoding="utf-8-sig")
    read = load(tmp_path / "policy.toml")
    assert read.search == SearchSettings(
        by="flash", seconds=300, want="optimal", seed=7, checks=1000
    )
    policy = read.policy
    assert policy.names == ("age", "zip", "job")
    assert policy.quasi_identifiers["age"] == bands(5, 10, 20)
    assert policy.quasi_identifiers["job"].tabulate("job", ["clerk"]).declared == 2
    assert policy.weights == {"age": 2.0}
    assert policy.levels == {"zip": (1, 3)}
    assert policy.conventions == Conventions(nulls="refuse")
    assert (policy.suppress, policy.metric, policy.smallest) == (0.02, Precision(), 5)
    assert loads(dumps(policy, read.search), tmp_path) == read


def test_what_is_left_out_has_its_default():
    read = loads(LEAST)
    assert read.search == SearchSettings(by="auto", seconds=None, want="feasible", seed=0)
    assert read.policy == Policy(quasi_identifiers={"sex": flat()}, require=(KAnonymity(2),))


def test_a_tree_may_be_written_in_the_file_itself():
    policy = loads(LEAST + '[quasi_identifiers.job.tree]\nhealth = ["nurse"]\noffice = {}\n').policy
    assert policy.quasi_identifiers["job"] == tree({"health": ["nurse"], "office": None})


def test_every_metric_has_a_name():
    for metric in [Precision(), Loss(aggregate="geometric"), Classification("ward"), Height()]:
        assert metric_from(metric_to(metric)) == metric
    with pytest.raises(PolicyError, match="did you mean loss-geometric"):
        metric_from("loss geometric")
    with pytest.raises(PolicyError, match="needs a column"):
        metric_from("classification")
    for spec in [3, None, {}, ["precision"]]:
        with pytest.raises(PolicyError, match="no such metric"):
            metric_from(spec)
    with pytest.raises(PolicyError, match="classification: the class column is not the name"):
        metric_from({"classification": 3})
    with pytest.raises(PolicyError, match="precision takes no value"):
        metric_from({"precision": "x"})


def test_a_class_column_that_is_not_kept_is_a_fault_of_the_file():
    assert "spend.metric.column" in faults(LEAST + '[spend]\nmetric = { classification = "x" }\n')


def test_every_fault_of_a_file_is_found_at_once():
    found = faults(
        """
        identifers = ["x"]
        sensitive = 4
        insensitive = ["age"]
        conventions = 3
        [quasi_identifiers]
        age = { bands = [5, 12], weigth = 2.0 }
        zip = { prefix = false, levels = 3 }
        job = { tree = "no/job.csv", weight = -1 }
        sex = { flt = true }
        pay = 3
        day = { dates = true, flat = true }
        [require]
        k_anonimity = 5
        [spend]
        metric = "precison"
        suppress = 2.0
        [search]
        want = "best"
        seconds = 0
        """
    )
    assert set(found) == {
        "identifers",
        "sensitive",
        "age",
        "conventions",
        "quasi_identifiers.age.bands",
        "quasi_identifiers.age.weigth",
        "quasi_identifiers.zip.prefix",
        "quasi_identifiers.zip.levels",
        "quasi_identifiers.job.tree",
        "quasi_identifiers.job.weight",
        "quasi_identifiers.sex",
        "quasi_identifiers.pay",
        "quasi_identifiers.day",
        "require.k_anonimity",
        "spend.metric",
        "spend.suppress",
        "search.want",
        "search.seconds",
    }
    assert "did you mean identifiers?" in found["identifers"]
    assert "did you mean weight?" in found["quasi_identifiers.age.weigth"]
    assert "did you mean k_anonymity?" in found["require.k_anonimity"]
    assert "did you mean flat?" in found["quasi_identifiers.sex"]


@pytest.mark.parametrize(
    "column",
    [
        "bands = 5",
        "bands = []",
        "bands = [[5]]",
        'bands = ["wide"]',
        "bands = [5], start = true",
        "prefix = true, steps = 3",
        'prefix = true, hide = "top"',
        "dates = true, days = 1",
        "dates = true, format = 3",
        "tree = 3",
        'tree = ["a", "b"]',
        "tree = []",
        'ordered = "low"',
        'ordered = ["a", ["b"]]',
        'ordered = ["a"], widths = 2',
        "flat = false",
        "flat = true, start = 3",
        "flat = true, weight = true",
        "flat = true, levels = [3, 1]",
        'flat = true, levels = ["a", "b"]',
        "",
    ],
)
def test_a_column_written_wrongly_is_a_fault_of_that_column(column):
    text = f"[quasi_identifiers]\nodd = {{ {column} }}\n[require]\nk_anonymity = 2\n"
    assert all(where.startswith("quasi_identifiers.odd") for where in faults(text))


@pytest.mark.parametrize("k", ["1", "true", "2.0", '"5"', "[5]"])
def test_a_k_that_protects_nobody_is_a_fault(k):
    text = f"[quasi_identifiers]\nsex = {{ flat = true }}\n[require]\nk_anonymity = {k}\n"
    assert list(faults(text)) == ["require.k_anonymity"]


def test_an_empty_file_lacks_columns_and_a_promise():
    assert list(faults("")) == ["quasi_identifiers", "require"]


def test_a_slip_of_syntax_is_one_fault_with_its_line():
    found = faults("identifiers = []\nsensitive = [\n'a' 'b']\n")
    assert list(found) == ["line 3"]
    assert "not TOML" in found["line 3"]
    assert list(faults("identifiers = [")) in (["end of the file"], ["line 1"])


def test_a_file_that_cannot_be_read_is_a_fault(tmp_path):
    (tmp_path / "latin.toml").write_bytes(b"identifiers = ['\xe4']")
    for name in ["missing.toml", "latin.toml", "."]:
        with pytest.raises(PolicyError):
            load(tmp_path / name)


def test_faults_of_a_tree_file_keep_its_leaves_out_of_sight(tmp_path):
    (tmp_path / "job.csv").write_text("secret;x\nsecret;y\n")
    with pytest.raises(PolicyError) as caught:
        from_dict({"tree": "job.csv"}, base=tmp_path, where="quasi_identifiers.job")
    assert caught.value.faults[0].where == "quasi_identifiers.job.tree job.csv"
    assert "secret" not in str(caught.value)
    assert caught.value.faults[0].values == ("secret",)


def test_what_has_no_name_in_files_is_not_written():
    class Mine(Precision):
        @property
        def name(self) -> str:
            return "mine"

    policy = Policy(quasi_identifiers={"a": flat()}, require=(KAnonymity(2),), metric=Mine())
    with pytest.raises(PolicyError, match="Mine has no name in policy files"):
        dumps(policy)


@pytest.mark.parametrize(
    ("key", "home"),
    [
        ("model", "spend"),
        ("k_anonymity", "require"),
        ("seconds", "search"),
        ("cuts", "conventions"),
    ],
)
def test_a_key_outside_its_section_is_reported_with_its_section(key, home):
    with pytest.raises(PolicyError) as error:
        loads(f"{key} = 2\n[quasi_identifiers]\nage = {{ flat = true }}\n")
    (fault,) = [fault for fault in error.value.faults if fault.where == key]
    assert f"[{home}]" in fault.fix
