"""Every public name is documented: what it does, parameters, returns, and an example that runs."""

import doctest
import enum
import inspect
from itertools import pairwise

import pytest

import lookalike as la

OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
LACKING = ""
NOT_YET = set(LACKING.split())  # names that still lack something; this list only gets shorter

PUBLIC = {
    name: found
    for name in la.__all__
    if inspect.isclass(found := getattr(la, name)) or inspect.isfunction(found)
}


def sections(docstring):
    """The headings of the numpy-style sections."""
    lines = docstring.splitlines()
    return {
        above.strip()
        for above, line in pairwise(lines)
        if above.strip() and set(line.strip()) == {"-"}
    }


def own_docstring(found):
    """Its own docstring; none if it is inherited or made by the dataclass decorator."""
    written = found.__dict__.get("__doc__") if inspect.isclass(found) else found.__doc__
    made = inspect.isclass(found) and written and written.startswith(f"{found.__name__}(")
    return inspect.cleandoc(written) if written and not made else ""


def parameters(function):
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


def function_faults(name, function, docstring):
    there = sections(docstring)
    if parameters(function) and "Parameters" not in there:
        yield f"{name} has no Parameters section"
    returned = inspect.signature(function).return_annotation
    if returned not in (None, "None", inspect.Signature.empty) and "Returns" not in there:
        yield f"{name} has no Returns section"


def class_faults(name, found):
    own_class = not issubclass(found, enum.Enum | Exception)
    described = sections(own_docstring(found)) & {"Parameters", "Attributes"}
    if own_class and parameters(found) and not described:
        yield f"{name} has no Parameters or Attributes section"
    for member, value in inspect.getmembers(found):
        if member.startswith("_") or not _written_here(found, member):
            continue
        if isinstance(value, property) or inspect.isroutine(value):
            if not inspect.getdoc(getattr(found, member)):
                yield f"{name}.{member} has no docstring"
            elif inspect.isroutine(value) and value.__doc__ and member in vars(found):
                yield from function_faults(f"{name}.{member}", value, inspect.getdoc(value))


def _written_here(found, member):
    """Is it ours, and not of a base class of Python's?"""
    return any(
        member in vars(base) and base.__module__.startswith("lookalike.") for base in found.__mro__
    )


def faults(name):
    found = PUBLIC[name]
    docstring = own_docstring(found)
    if not docstring:
        return [f"{name} has no docstring"]
    listed = [] if "Examples" in sections(docstring) else [f"{name} has no Examples section"]
    if inspect.isclass(found):
        return [*listed, *class_faults(name, found)]
    return [*listed, *function_faults(name, found, docstring)]


@pytest.mark.parametrize("name", sorted(PUBLIC.keys() - NOT_YET))
def test_a_public_name_is_documented(name):
    assert not faults(name)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_the_examples_of_a_public_name_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    for example in doctest.DocTestFinder(exclude_empty=True).find(PUBLIC[name], name, globs={}):
        runner.run(example)
    assert runner.failures == 0
    assert not list(tmp_path.iterdir())  # an example leaves no files behind
