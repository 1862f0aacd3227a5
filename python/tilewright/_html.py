"""How modules and kernels look in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilewright._native import Kernel, Module


def module(value: Module) -> str:
    """A module: its version, what is wrong with it, and its kernels."""
    findings = "".join(f"<li>{escape(finding)}</li>" for finding in value.verify())
    if findings:
        return f"<p><b>Tile IR {escape(value.version)}, not valid</b></p><ul>{findings}</ul>"
    return f"<p><b>Tile IR {escape(value.version)}</b></p>" + "".join(kernel(item) for item in value.kernels)


def kernel(value: Kernel) -> str:
    """A kernel: its name and parameters, and its operations to be opened."""
    parameters = ", ".join(value.parameters)
    summary = f"<summary><code><b>{escape(value.name)}</b>({escape(parameters)})</code></summary>"
    return f"<details>{summary}<pre>{escape(value.explain())}</pre></details>"
