"""Functions as machine code, kept on disk from their first use on.

What Python calls is an entry point.  All other functions are called by machine code
alone: what takes Python's objects apart for them would be half of what is compiled.

What is kept from files that are others now is dropped first (``kept_code``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import types
from numba.core.compiler_lock import global_compiler_lock

from phverify.interrupts import interrupts_put_off
from phverify.machine.kept_code import drop_stale

Function = TypeVar("Function", bound=Callable[..., Any])


def entry_point(function: Function) -> Function:
    """The function as machine code that Python calls; other threads may run beside.

    It may not make arrays: those that it gets are then not counted as they go from
    function to function, which took most of the time.
    """
    return _machine_code(function, _nrt=False)


def counted_entry_point(function: Function) -> Function:
    """The same for functions that make arrays."""
    return _machine_code(function)


def compiled(function: Function) -> Function:
    """The same for functions that only machine code calls, and that make no arrays."""
    return _inside(function, _nrt=False)


def inlined(function: Function) -> Function:
    """The same for small functions, since a call copies the places of all arrays."""
    return _inside(function, _nrt=False, forceinline=True)


def counted(function: Function) -> Function:
    """The same for functions that make arrays and that only machine code calls."""
    return _inside(function)


def _inside(function: Function, **options: bool) -> Function:
    """Without a way in for Python's objects; who tries is told so."""
    made: Any = _machine_code(
        function, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options
    )

    def refused(*_objects: Any) -> None:
        raise TypeError(f"{function.__name__} is no entry point: Python cannot call it")

    def nowhere(*_overload: Any, **_options: Any) -> None:
        """It is not found by the types of Python's objects."""

    made._compile_for_args = refused
    made._insert = nowhere
    return cast(Function, made)


def _machine_code(function: Function, **options: bool) -> Function:
    """The function compiled at its first call, and read from disk from then on.

    Where no folder can be written to (a package that others installed, a user without
    a home), or the disk is full, it is compiled in every process anew.
    """
    file = Path(function.__code__.co_filename)
    if file.is_file():
        drop_stale(file.parent)
    njit: Any = numba.njit
    try:
        made = njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # no folder for it
        made = njit(nogil=True, **options)(function)
    made.compile = _whole(made.compile)
    save = getattr(made._cache, "save_overload", None)
    if save is not None:
        made._cache.save_overload = _if_possible(save)
    return cast(Function, made)


def _if_possible(save: Callable[..., None]) -> Callable[..., None]:
    def saved(*overload: Any) -> None:
        with contextlib.suppress(OSError):
            save(*overload)

    return saved


def _whole(compile_: Callable[..., Any]) -> Callable[..., Any]:
    """Ctrl-C acts between two functions: the compiler's own calls back would lose it,
    and miss what they were called for.
    """

    def compiled_whole(signature: Any) -> Any:
        if isinstance(signature, tuple):
            signature = tuple(_widest(argument) for argument in signature)
        # Who waits for another thread's functions can be interrupted.
        with global_compiler_lock, interrupts_put_off():
            return compile_(signature)

    return compiled_whole


def _widest(argument: Any) -> Any:
    """One function for all whole numbers: numba would make one for those of 32 bits,
    and one for each call with a constant.
    """
    general: Any = types.unliteral(argument)  # type: ignore[no-untyped-call]
    return types.int64 if general == types.int32 else general
