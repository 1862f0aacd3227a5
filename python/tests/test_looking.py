"""What shows modules and launches to people."""

import numpy as np
import pytest

import tilewright
from tilewright import spread

BROKEN = b"entry @k(%x: tile<4xf32>) { return }"


def test_reprs(saxpy):
    assert repr(saxpy) == "<Module 13.3, kernels: saxpy>"
    assert repr(saxpy["saxpy"]).startswith("<Kernel saxpy(tile<f32>, tile<ptr<f32>>, ")
    assert repr(tilewright.load(BROKEN)) == "<Module 13.5, kernels: k, 1 finding>"


def test_html(saxpy):
    html = saxpy._repr_html_()
    assert html.count("<details>") == 1
    assert "tile&lt;f32&gt;" in html
    assert "not valid" in tilewright.load(BROKEN)._repr_html_()


def test_explain_without_the_source(saxpy):
    lines = saxpy["saxpy"].explain().splitlines()
    assert lines[0].startswith("saxpy(tile<f32>, ")
    assert len(lines) == 20
    assert [line for line in lines if line.endswith("| kernels.py:20")] == [lines[14]]
    assert lines[14].startswith("%reshape = ")


def test_explain_shows_the_source():
    ct = pytest.importorskip("cuda.tile")
    from tilewright import cutile

    @ct.kernel
    def clamp(x, y):
        tile = ct.load(x, (0,), (8,))
        for _ in range(2):
            tile = ct.minimum(tile, 3)
        ct.store(y, (0,), tile)

    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    lines = cutile.compiled(clamp, (x, y)).explain().splitlines()
    assert [line for line in lines if line.endswith(": ct.store(y, (0,), tile)")]
    # The body of the loop stands further in.
    assert any(line.startswith("  ") and "minf" in line for line in lines)


def test_access_map(saxpy):
    x, y = np.ones(1000, np.float32), np.zeros(1000, np.float32)
    found = saxpy["saxpy"].access_map(4, 2.0, *spread(x), *spread(y))
    assert repr(found) == f"<AccessMap of an array {y.shape}: of the blocks of a grid (4, 1, 1), 4 read and 4 write it>"
    assert (y == 2).all()
    assert found.grid == (4, 1, 1)
    assert (found.writes == np.arange(1000) // 256).all()
    assert (found.reads == found.writes).all()
    of_x = saxpy["saxpy"].access_map(4, 2.0, *spread(x), *spread(y), array=x)
    assert (of_x.reads == np.arange(1000) // 256).all()
    assert (of_x.writes == -1).all()
    with pytest.raises(ValueError, match="none of the launch"):
        saxpy["saxpy"].access_map(4, 2.0, *spread(x), *spread(y), array=y.copy())
    with pytest.raises(IndexError, match="the launch has 2 arrays"):
        saxpy["saxpy"].access_map(4, 2.0, *spread(x), *spread(y), array=2)


def test_access_map_of_tiles():
    ct = pytest.importorskip("cuda.tile")
    from tilewright import cutile

    @ct.kernel
    def transpose(x, y):
        i, j = ct.bid(0), ct.bid(1)
        ct.store(y, (j, i), ct.transpose(ct.load(x, (i, j), (2, 4))))

    whole = np.zeros((7, 12), np.float32)
    x, y = np.arange(24, dtype=np.float32).reshape(4, 6), whole[:6, 1:9:2]
    found = cutile.access_map((2, 2), transpose, (x, y))
    assert (y == x.T).all()
    assert str(found) == "writes\n" + "\n".join(["0011"] * 4 + ["2233"] * 2)
    html = found._repr_html_()
    assert html.count("<rect") == 1 + 4 and html.count("<figure") == 1
    assert "writes: 4 of the 4 blocks of a grid (2, 2, 1)" in html
    # Two rows of tiles of 4x2, in an array of 6x4.
    assert "<title>block (1, 0, 0): [0:4, 2:4]</title>" in html and "<title>block (0, 1, 0): [4:6, 0:2]</title>" in html
    # What lies between the elements of a view belongs to others.
    assert (whole[:, ::2] == 0).all()


def pictures(blocks, grid=(4, 1, 1)):
    from tilewright._access_map import AccessMap

    html = AccessMap(grid, blocks, np.full_like(blocks, -1))._repr_html_()
    return html, html.count("<rect")


def test_pictures_of_access_maps():
    assert pictures(np.full((3, 3), -1)) == ("<p>no accesses</p>", 0)
    html, rectangles = pictures(np.array([0, 0, -1, 1, 0]))
    assert rectangles == 1 + 3 and "<title>block (0, 0, 0): [4:5]</title>" in html
    # Equal runs of rows are one rectangle, until a row is another.
    html, rectangles = pictures(np.array([[0, 1], [0, 1], [1, 1], [0, 1]]))
    assert rectangles == 1 + 2 + 1 + 2 and "[2:3, 0:2]" in html
    # Of a large array, some elements are drawn.
    html, rectangles = pictures(np.arange(4).repeat(1000).reshape(4, 1000))
    assert rectangles == 1 + 4 and "all rows and one of 7 columns" in html and "<title>" not in html
    html, _ = pictures(np.zeros((5, 3, 3), np.int64))
    assert "at the start of all dimensions but two" in html


def test_findings_in_html():
    ct = pytest.importorskip("cuda.tile")
    from tilewright import cutile

    @ct.kernel
    def shift(x):
        tile = ct.load(x, (ct.bid(0),), (8,))
        ct.store(x, (ct.bid(0) + 1,), tile)  # <b>

    with pytest.raises(tilewright.CheckError) as caught:
        cutile.launch(4, shift, (np.zeros(64, np.float32),), check=True)
    html = caught.value._repr_html_()
    [finding] = caught.value.findings
    assert html == finding._repr_html_()
    assert "<code>data-race</code> store_view_tko: it writes (weak)" in html
    # The line of both accesses, from where they begin.
    assert "<mark>ct.store(x, (ct.bid(0) + 1,), tile)  # &lt;b&gt;</mark>" in html
    assert "tile = <mark>ct.load(x, (ct.bid(0),), (8,))</mark>" in html
    assert "block (1, 0, 0) · element (0) of the tile · (8) of the tensor · 32 bytes from byte 32 of argument 0, which has 256" in html
    assert finding.help.startswith("Let the writer release a flag")
    assert "<b>Help:</b> Let the writer release a flag" in html and "<b>\n" not in html


def test_findings_without_source(saxpy):
    with pytest.raises(tilewright.CheckError) as caught:
        saxpy["saxpy"].launch(1, 2.0, *spread(np.ones(8, np.float32)), np.ones(8, np.float32), 16, 1, check=True)
    html = caught.value._repr_html_()
    assert html.count("<article>") == 3 and "kernels.py:" in html and "8 times in 1 block;" in html


def test_plot(saxpy):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    x, y = np.ones(100, np.float32), np.zeros(100, np.float32)
    axes = saxpy["saxpy"].access_map(1, 2.0, *spread(x), *spread(y)).plot()
    assert "grid (1, 1, 1)" in axes.get_title()
