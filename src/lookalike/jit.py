"""How compiled code is compiled: kernels that Python calls, and helpers that only kernels call.

Import late: this loads numba. The compiled code of a kernel, with its helpers, is kept on disk
beside its module. Numba compiles it again when that module changes, but not when only a module
with its helpers changes: then delete the ``*.nbi`` files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])
NO_WRAPPERS: Any = {  # compiles sooner
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
NO_REFERENCES: Any = {"_nrt": False}


def kernel(function: Function) -> Function:
    """Compile a function that Python calls."""
    return cast("Function", njit(cache=True, nogil=True)(function))


def helper(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that only compiled code calls."""
    return cast("Callable[..., Any]", njit(nogil=True, **NO_WRAPPERS)(function))


def view_helper(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that only compiled code calls, and that makes no arrays and sorts none.

    It does not count references to the arrays that it is given. For named tuples of arrays,
    counting can take longer than the work.
    """
    return cast("Callable[..., Any]", njit(nogil=True, **NO_REFERENCES, **NO_WRAPPERS)(function))


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Copy a function into every place where compiled code calls it."""
    return cast("Callable[..., Any]", njit(nogil=True, inline="always")(function))
