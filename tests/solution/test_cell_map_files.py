"""Cell maps on disk: they come back as they were and fit every engine; altered ones do not."""

import json

import pyarrow as pa
import pytest
from cell_maps import AtRandom
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
    quasi_identifiers={"age": la.bands(5, 20), "sex": la.flat()},
    sensitive="ill",
    require=la.KAnonymity(2),
)


def solved(table=TABLE):
    return la.solve(la.prepare(table, POLICY), AtRandom(), seed=3)


def test_a_cell_map_comes_back_as_it_was():
    solution = solved()
    assert loads(dumps(solution)) == solution


@pytest.mark.parametrize("kind", ["csv", "parquet", "pandas"])
def test_a_solution_from_one_engine_fits_another(kind, tmp_path):
    text = dumps(solved())
    table = make(TABLE, kind, tmp_path)
    problem = la.prepare(table, POLICY)
    release = la.release(table, problem, loads(text))
    assert release.certificate.passed
    reference = la.release(TABLE, la.prepare(TABLE, POLICY), loads(text))
    told, expected = release.certificate.content, reference.certificate.content
    assert told["release_digest"] == expected["release_digest"]


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.pop("pieces"),
        lambda content: content["pieces"].append([1, 2]),
        lambda content: content["pieces"][0].__setitem__(0, 10**30),
        lambda content: content["pieces"][0].__setitem__(1, 0),
        lambda content: content["pieces"][0].__setitem__(2, -1),
        lambda content: content["pieces"][0].__setitem__(2, content["pieces"][0][2] + 0.5),
        lambda content: content["pieces"][0].__setitem__(2, float(content["pieces"][0][2])),
        lambda content: content["pieces"][0].__setitem__(2, content["pieces"][0][2] + 2**16),
        lambda content: content["pieces"][0].__setitem__(0, False),
        lambda content: content["proof"].__setitem__("by", "faith"),
    ],
)
def test_an_altered_file_is_refused(change):
    content = json.loads(dumps(solved()))
    change(content)
    with pytest.raises(la.ReleaseRefused, match="altered"):
        loads(json.dumps(content))


def test_pieces_for_another_table_are_refused():
    other = TABLE.slice(0, 8)
    with pytest.raises(la.PolicyError, match="not a recoding of this table by this policy"):
        la.release(other, la.prepare(other, POLICY), solved())
