"""The example notebook, as Jupyter executes it."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOK = Path(__file__).resolve().parents[1] / "notebooks" / "looking.ipynb"


@pytest.fixture(scope="module")
def shown():
    """What each cell shows, by its name: the best form of it."""
    notebook = nbformat.read(NOTEBOOK, 4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "it is kept without results"
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    cells = {cell.id: cell.outputs for cell in notebook.cells if cell.cell_type == "code"}
    return {name: [output.data.get("text/html") or output.data["text/plain"] for output in outputs] for name, outputs in cells.items()}


def test_a_kernel_runs(shown):
    assert shown["kernels"] in (["True"], ["np.True_"])


def test_kernels_show_the_lines_of_their_cell(shown):
    [html] = shown["compiled"]
    assert "<details>" in html and "| 12: ct.store(y, (j, i), ct.transpose(tile))" in html


def test_maps_of_accesses_are_pictures(shown):
    [html] = shown["access-map"]
    assert html.count("<rect") == 1 + 9 and "<title>block (2, 2, 0): [32:40, 16:24]</title>" in html


def test_profiles_show_the_lines_of_their_cell(shown):
    [html] = shown["profile"]
    assert "tw-profile" in html and "shifted = ct.exp(row - ct.max(row, 1, keepdims=True))" in html
    assert "it cannot be read" not in html
    assert "<caption>cell</caption>" in html and "ipykernel" not in html
    assert "Tile IR of" not in html, "the lines say it all"


def test_findings_show_the_lines_of_their_cell(shown):
    [html] = shown["finding"]
    assert "<code>data-race</code>" in html and "<b>cell, line 4</b>" in html and "<mark>ct.store(x, (ct.bid(0) + 1,), tile)</mark>" in html
    # The report for people has the line too.
    assert "4 |     ct.store(x, (ct.bid(0) + 1,), tile)" in html
