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
    assert found._repr_html_() == f"<pre>{found}</pre>"
    # What lies between the elements of a view belongs to others.
    assert (whole[:, ::2] == 0).all()


def test_plot(saxpy):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    x, y = np.ones(100, np.float32), np.zeros(100, np.float32)
    axes = saxpy["saxpy"].access_map(1, 2.0, *spread(x), *spread(y)).plot()
    assert "grid (1, 1, 1)" in axes.get_title()
