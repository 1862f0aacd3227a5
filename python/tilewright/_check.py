"""How to check a launch, and what the checker finds."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from tilewright._errors import KernelError


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Check:
    """How to check a launch: what ``check=`` takes where ``True`` does not say enough."""

    #: So many more launches, with the blocks in other orders, and their results compared.
    schedules: int = 0
    #: Chooses other orders.
    seed: int = 0
    #: The order in which the blocks go on, as a finding names it: "1,0:2" is block 1 to its end, then two accesses of block 0.
    schedule: str | None = None
    #: The arrays among the arguments whose content is undefined, or the positions of these arguments.
    uninitialised: Sequence[Any] = ()
    #: Whether the kernel was compiled for arrays that do not overlap: writes to what two of them share are findings then.
    distinct: bool = False

    def __post_init__(self) -> None:
        """Refuse what is no option."""
        for name, number in (("schedules", self.schedules), ("seed", self.seed)):
            if not 0 <= number < 2**64:
                raise ValueError(f"{name} must be from 0 and below 2**64, got {number}")
        if not isinstance(self.uninitialised, (list, tuple)):
            raise TypeError(f"uninitialised must be a list or tuple of arrays or positions, got {type(self.uninitialised).__name__}")


@dataclasses.dataclass(frozen=True)
class Finding:
    """A violation of a rule: everything that one operation did against it. ``str`` gives the report for people."""

    #: The rule: ``tilewright explain RULE`` has its page.
    rule: str
    #: What happened, in a sentence.
    message: str
    #: The entry that was launched.
    kernel: str
    #: The first time that it happened: ``operation``, ``source`` (file, line, column), ``block``, ``element``, ``coordinates``, ``memory``.
    place: dict[str, Any]
    #: The other access of a race, or where an undefined value comes from: ``what`` and ``place``.
    other: dict[str, Any] | None
    #: How many elements were concerned, in all blocks.
    elements: int
    #: In how many blocks it happened.
    blocks: int
    #: The schedule of blocks that shows it, if the order of the grid does not.
    schedule: str | None
    #: How to mend it.
    help: str
    text: str = dataclasses.field(repr=False)

    def __str__(self) -> str:
        """Give the report for people."""
        return self.text

    def _repr_html_(self) -> str:
        from tilewright import _html

        return _html.findings([self])

    @property
    def location(self) -> str | None:
        """The place in the source: ``file:line:column``."""
        source = self.place.get("source")
        return None if source is None else f"{source['file']}:{source['line']}:{source['column']}"


class CheckError(KernelError):
    """The checker found undefined behaviour in a launch. ``findings`` has all of it."""

    def __init__(self, message: str, *, findings: list[Finding], **place: Any) -> None:
        """Keep what was found."""
        super().__init__(message, **place)
        self.findings = findings

    def _repr_html_(self) -> str:
        from tilewright import _html

        return _html.findings(self.findings)


Check.__module__ = CheckError.__module__ = Finding.__module__ = "tilewright"


def error(kernel: str, report: str, texts: list[str], helps: list[str]) -> CheckError:
    """Make the exception of a report."""
    absent = {"other": None, "schedule": None}
    found = zip(json.loads(report), texts, helps, strict=True)
    findings = [Finding(**(absent | fields), text=text, help=mend) for fields, text, mend in found]
    first = findings[0]
    number = "1 finding" if len(findings) == 1 else f"{len(findings)} findings"
    message = f"kernel {kernel}: {number}\n\n" + "\n".join(texts)
    place = {"block": tuple(first.place["block"]), "operation": first.place["operation"]}
    return CheckError(message.rstrip(), findings=findings, kernel=kernel, **place)
