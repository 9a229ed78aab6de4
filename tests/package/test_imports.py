"""What is not loaded, and what can be named."""

import subprocess
import sys

import pytest

import lookalike as la


def loaded_after(statement):
    code = f"{statement}\nimport sys\nprint(' '.join(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_lookalike_loads_no_engine_no_numba_and_no_numpy():
    found = loaded_after("import lookalike")
    engines = {"numba", "numpy", "duckdb", "pyarrow", "polars", "pandas", "narwhals"}
    assert not found & (engines | {"altair", "vl_convert"})


def test_building_a_policy_loads_no_engine_and_no_numba():
    found = loaded_after(
        "import lookalike as la\n"
        "la.Policy(quasi_identifiers={'age': la.bands(5)}, require=(la.KAnonymity(2),))"
    )
    assert not found & {"numba", "duckdb", "pyarrow", "polars", "pandas", "narwhals"}


def test_a_csv_needs_neither_pandas_nor_polars(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n1,2\n")
    loaded_after(
        "import sys\n"
        "class NotInstalled:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('pandas', 'polars'):\n"
        "            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, NotInstalled())\n"
        "import lookalike as la\n"
        f"assert la.risk({str(path)!r}, ['a', 'b']).smallest == 2"
    )


def test_run_loads_only_what_its_policy_needs(tmp_path):
    table, policy = tmp_path / "t.csv", tmp_path / "policy.toml"
    table.write_text("age,zip,sick\n31,21401,flu\n34,21402,flu\n37,21401,hiv\n39,21402,flu\n")
    policy.write_text(
        'sensitive = ["sick"]\n[require]\nk_anonymity = 2\n[spend]\nmetric = "loss"\n'
        "[quasi_identifiers]\nage = { bands = [10] }\nzip = { prefix = true }\n"
    )
    arguments = ["lookalike", "run", str(table), str(policy), "-o", str(tmp_path / "out.csv"), "-q"]
    loaded = loaded_after(
        f"import sys\nsys.argv = {arguments!r}\nfrom lookalike.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code"
    )
    own = {name for name in loaded if name.partition(".")[0] == "lookalike"}
    gate = {name for name in own if name.startswith("lookalike.risks") or name.endswith("_gate")}
    assert len(own - gate) <= 200
    assert len(gate) <= 20  # the kept columns of any table are looked at
    assert not loaded & {"polars", "altair", "fastapi", "narwhals", "pyarrow.parquet"}
    assert not {name for name in own if ".cuts" in name or ".cells." in name}


def test_every_name_of_api_can_be_had():
    from lookalike import api

    assert all(getattr(api, name) is not None for name in api.__all__)
    with pytest.raises(AttributeError, match="has no attribute"):
        api.anonymise  # noqa: B018


@pytest.mark.parametrize("name", la.__all__)
def test_every_public_name_can_be_had(name):
    assert getattr(la, name) is not None


def test_verbs_stay_verbs_after_their_folders_were_imported():
    import lookalike.releasing.release
    import lookalike.verifier.verify  # noqa: F401

    for verb in (la.verify, la.release, la.risk, la.prepare, la.solve, la.compare, la.explain):
        assert callable(verb)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute"):
        la.anonymise  # noqa: B018
