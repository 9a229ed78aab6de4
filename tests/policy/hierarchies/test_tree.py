"""Tree: the same groups from a file, a dict or rows; what is wrong with them is said at once."""

from __future__ import annotations

import numpy as np
import pytest
from hierarchy_laws import keeps_the_laws, refusal, shown
from hypothesis import given
from hypothesis import strategies as st

from lookalike.errors import PolicyError
from lookalike.policy.hierarchies.tree import tree
from lookalike.policy.policy_file import from_dict

WORLD = {"Europe": {"West": ["France", "Spain"], "East": ["Poland"]}, "Asia": {"Far": ["Japan"]}}
ROWS = [
    ("France", "West", "Europe"),
    ("Spain", "West", "Europe"),
    ("Poland", "East", "Europe"),
    ("Japan", "Far", "Asia"),
]


@st.composite
def nested(draw):
    """Rows of a random tree, shuffled, and a column of some of its leaves and a null."""
    leaves = draw(st.integers(1, 20))
    depth = draw(st.integers(0, 3))
    codes = [list(range(leaves))]
    for _ in range(depth):
        parent = draw(st.lists(st.integers(0, 4), min_size=20, max_size=20))
        codes.append([parent[code] for code in codes[-1]])
    rows = [
        tuple(f"{level}:{codes[level][leaf]}" for level in range(depth + 1))
        for leaf in range(leaves)
    ]
    rows = draw(st.permutations(rows))
    column = draw(st.lists(st.sampled_from([row[0] for row in rows]), unique=True))
    return rows, [*column, None]


@given(nested())
def test_labels_are_the_rows_and_leaves_are_counted_as_declared(drawn):
    rows, values = drawn
    table = keeps_the_laws(tree(rows), values)
    declared = {row[0]: row for row in rows}
    for leaf, value in enumerate(values[:-1]):
        assert tuple(shown(table, leaf)) == (*declared[value], "*")
        for level in range(1, table.height):
            mates = sum(row[level] == declared[value][level] for row in rows)
            assert table.leaves_under[level][table.codes[leaf, level]] == mates
    assert table.declared == len(rows) + 1  # and the null


@given(nested())
def test_in_leaf_order_every_group_is_contiguous_and_the_null_is_last(drawn):
    rows, values = drawn
    table = tree(rows).tabulate("column", values)
    assert table.order[-1] == len(values) - 1
    for level in range(table.height + 1):
        codes = table.codes[table.order, level]
        runs = 1 + int((codes[1:] != codes[:-1]).sum())
        assert runs == len(set(codes.tolist()))


def test_a_dict_a_file_and_rows_say_the_same(tmp_path):
    path = tmp_path / "world.csv"
    path.write_text("\n".join(";".join(row) for row in ROWS))
    assert tree(WORLD).rows == tree(ROWS).rows == tree(path).rows == tuple(ROWS)
    table = keeps_the_laws(tree(WORLD), ["Japan", "France"])
    assert shown(table, 1) == ["France", "West", "Europe", "*"]
    assert table.order.tolist() == [1, 0]


@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", ""])
def test_the_delimiter_is_found_and_fields_may_be_quoted(tmp_path, delimiter, ending):
    path = tmp_path / "odd.csv"
    lines = [f'"a{delimiter}b"{delimiter}"say ""x"""', f"ü{delimiter}y"]
    path.write_bytes(b"\xef\xbb\xbf" + ((ending or "\n").join(lines) + ending).encode())
    assert tree(path).rows == ((f"a{delimiter}b", 'say "x"'), ("ü", "y"))


def test_intervals_with_commas_do_not_mislead_the_delimiter(tmp_path):
    path = tmp_path / "age.csv"
    path.write_text("20;[20, 25);[20, 40)\n31;[30, 35);[20, 40)\n")
    assert tree(path).rows[1] == ("31", "[30, 35)", "[20, 40)")


def test_a_file_of_leaves_alone_is_a_declared_domain(tmp_path):
    path = tmp_path / "sex.csv"
    path.write_text("M\nF\nX\n")
    table = tree(path).tabulate("sex", ["F"])
    assert (table.height, table.declared) == (1, 3)


def test_the_star_is_added_unless_it_is_there():
    def height(*rows):
        return tree(rows).tabulate("column", []).height

    assert height(("a", "x"), ("b", "y")) == 2
    assert height(("a", "x", "*"), ("b", "y", "*")) == 2
    assert height(("a", "x", "Person"), ("b", "y", "Person")) == 3
    assert height(("a", "*"), ("b", "*")) == 1
    assert height(("*",)) == 1


def test_a_short_branch_is_padded_by_its_leaf():
    table = keeps_the_laws(tree({"Europe": {"West": ["France"]}, "Asia": ["Japan"]}), ["Japan"])
    assert shown(table, 0) == ["Japan", "Japan", "Asia", "*"]
    assert tree({"a": None, "b": {}, "c": "d"}).rows == (("a", "a"), ("b", "b"), ("d", "c"))


def test_leaves_are_matched_as_they_read_as_text():
    table = keeps_the_laws(tree({"low": [1, 2], "yes": [True]}), [1, "1", 1.0 + 1, "true"])
    assert table.labels[1] == ("low", "yes")
    assert table.codes[:, 1].tolist() == [0, 0, 0, 1]
    assert table.leaves_under[1].tolist() == [3, 1]  # 1, 2, and the text "1" beside 1


def test_the_empty_string_must_be_listed_and_is_not_null():
    assert "1 distinct value is not in the hierarchy" in str(refusal(tree(WORLD), ["", None]))
    table = keeps_the_laws(tree([("", "none"), ("a", "some")]), ["", None])
    assert table.labels[1] == ("none", None)


def test_missing_values_are_counted_and_not_shown():
    error = refusal(tree(WORLD), ["France", "japan ", "Atlantis", None])
    assert "2 distinct values are not in the hierarchy" in str(error)
    assert "1 differ only in upper and lower case or spaces" in str(error)
    assert "Atlantis" not in str(error)
    assert error.faults[0].values == ("japan ", "Atlantis")


def test_everything_wrong_with_a_tree_is_said_at_once_without_its_values():
    rows = [
        ("a", "x", "p"),
        ("a", "x", "q"),
        (),
        ("", "", ""),
        ("secret", "x"),
        ("b", "", "q"),
    ]
    with pytest.raises(PolicyError) as caught:
        tree(rows)
    assert [fault.problem for fault in caught.value.faults] == [
        "2 rows are empty",
        "1 row does not have 3 fields like most",
        "1 row has a group without a name",
        "1 leaf is listed more than once",
        "1 group of level 1 is in more than one group of level 2",
    ]
    assert "secret" not in str(caught.value)
    assert caught.value.faults[1].values == ("secret",)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xff\xfe", b'"open;a\nb;c'])
def test_a_file_that_is_no_tree_is_a_fault(tmp_path, content):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    with pytest.raises(PolicyError):
        tree(path)


def test_a_missing_file_and_a_folder_are_faults(tmp_path):
    with pytest.raises(PolicyError, match=r"the file nowhere\.csv"):
        tree("nowhere.csv", base=tmp_path)
    with pytest.raises(PolicyError, match="cannot be read"):
        tree(tmp_path)


def test_a_path_is_relative_to_its_base_and_written_as_given(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "world.csv").write_text("a;x\nb;y\n")
    hierarchy = tree("sub/world.csv", base=tmp_path)
    assert hierarchy.to_dict() == {"tree": "sub/world.csv"}
    assert from_dict(hierarchy.to_dict(), base=tmp_path) == hierarchy


def test_an_empty_column_knows_the_declared_leaves():
    table = keeps_the_laws(tree(WORLD), [])
    assert (table.height, table.declared) == (3, 4)
    assert np.array_equal(table.order, [])
