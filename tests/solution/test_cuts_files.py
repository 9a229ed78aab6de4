"""Solutions by cuts on disk: they come back as they were; altered ones are refused."""

import json

import pyarrow as pa
import pytest
from cut_recodings import GivenCuts
from engine_kinds import make

import lookalike as la
from lookalike.solution.solution_file import dumps, loads

TABLE = pa.table(
    {
        "age": [9, 10, 10, 21, 21, 100, 9, 10, 21, 100],  # as text they sort differently
        "sex": ["f", "m", "f", "m", "f", "m", "f", "m", "f", None],
        "ill": list("abcdefghij"),
    }
)
POLICY = la.Policy(
    quasi_identifiers={"age": la.bands(5, 20), "sex": la.ordered(["f", "m"])},
    sensitive="ill",
    require=la.KAnonymity(2),
    metric=la.Discernibility(),
)


def solved(table=TABLE):
    return la.solve(la.prepare(table, POLICY), GivenCuts(((2,), ())))


def test_cuts_come_back_as_they_were():
    solution = solved()
    text = dumps(solution)
    assert loads(text) == solution
    content = json.loads(text)
    assert content["columns"] == ["age", "sex"]
    assert content["cuts"] == [[2], []]


@pytest.mark.parametrize("kind", ["csv", "parquet", "pandas"])
def test_a_solution_by_cuts_from_one_engine_fits_another(kind, tmp_path):
    text = dumps(solved())
    table = make(TABLE, kind, tmp_path)
    problem = la.prepare(table, POLICY)
    release = la.release(table, problem, loads(text))
    reference = la.release(TABLE, la.prepare(TABLE, POLICY), loads(text))
    told, expected = release.certificate.content, reference.certificate.content
    assert told["release_digest"] == expected["release_digest"]


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.pop("cuts"),
        lambda content: content.pop("columns"),
        lambda content: content["cuts"].append([1]),
        lambda content: content["cuts"].__setitem__(0, [2, 1]),
        lambda content: content["cuts"].__setitem__(0, [2, 2]),
        lambda content: content["cuts"].__setitem__(0, [0]),
        lambda content: content["cuts"].__setitem__(0, [1.0]),
        lambda content: content["cuts"].__setitem__(0, [True]),
        lambda content: content["cuts"].__setitem__(0, "1"),
        lambda content: content["cuts"].__setitem__(0, None),
        lambda content: content["columns"].__setitem__(0, 1),
        lambda content: content.__setitem__("pieces", []),
        lambda content: content.__setitem__("levels", None),
    ],
)
def test_an_altered_file_of_cuts_is_refused(change):
    content = json.loads(dumps(solved()))
    change(content)
    with pytest.raises(la.ReleaseRefused, match="altered"):
        loads(json.dumps(content))


@pytest.mark.parametrize("cuts", [[[4], []], [[2**62], []], [[2], [7]]])
def test_cuts_for_another_table_are_refused(cuts):
    content = json.loads(dumps(solved())) | {"cuts": cuts}
    with pytest.raises(la.PolicyError, match="not a recoding of this table by this policy"):
        la.release(TABLE, la.prepare(TABLE, POLICY), loads(json.dumps(content)))
