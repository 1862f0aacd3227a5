"""The options of command lines that say how launches are checked."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from tilewright._check import Check


def add_check_options(add: Callable[..., Any], prefix: str = "--") -> None:
    """Add the options, by a parser's method."""
    add(f"{prefix}check", action="store_true", help="run kernels on the CPU under the checker: undefined behaviour is an error")
    add(f"{prefix}check-schedules", type=int, metavar="N", help="check, and compare the results of N launches with blocks in other orders")
    add(f"{prefix}check-seed", type=int, metavar="SEED", help="choose other orders for these launches")
    add(f"{prefix}check-schedule", metavar="TURNS", help="check with the blocks in this order, as a finding names it")
    add(f"{prefix}check-distinct", action="store_true", help="check, and take kernels as compiled for arrays that do not overlap")


def asked_check(options: argparse.Namespace, prefix: str = "") -> bool | Check:
    """Give what the options ask for; those that say how to check ask for a check."""
    names = ("schedules", "seed", "schedule", "distinct")
    given = {name: getattr(options, f"{prefix}check_{name}") for name in names}
    given = {name: value for name, value in given.items() if value is not None and value is not False}
    if given.keys() == {"seed"}:
        raise ValueError("a seed chooses orders of blocks: give the number of schedules, too")
    return Check(**given) if given else bool(getattr(options, f"{prefix}check"))
