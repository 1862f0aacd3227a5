"""Profiles of launches."""

import json
from pathlib import Path

import cuda.tile as ct
import numpy as np
import pytest

from tilewright import cutile


@ct.kernel
def scaled_sum(x, y):
    row = ct.bid(0)
    a = ct.load(x, (row, 0), (1, 64))
    ct.store(y, (row,), ct.sum(a * 2.0, 1))


def arrays():
    return np.ones((8, 64), np.float32), np.zeros(8, np.float32)


def test_a_launch_has_a_profile_if_it_is_asked_for():
    x, y = arrays()
    assert cutile.launch(8, scaled_sum, (x, y)).profile is None
    profile = cutile.launch(8, scaled_sum, (x, y), threads=2, profile=True).profile
    assert (y == 128).all()
    total = profile.total
    assert (total["read"], total["written"], total["flops"]) == (8 * 64 * 4, 8 * 4, 8 * (64 + 63))
    loads = [row for row in profile.operations if row["operation"] == "load_view_tko"]
    assert [row["count"] for row in loads] == [8]
    source = Path(__file__).read_text().splitlines()
    measured = [source[line["line"] - 1] for line in profile.lines if line["file"] == __file__]
    assert any("ct.load(x" in text for text in measured) and any("ct.store(y" in text for text in measured)


def test_profiles_are_text_html_graphs_and_traces():
    profile = cutile.launch(8, scaled_sum, arrays(), profile=True).profile
    assert "profile of @" in str(profile) and "a = ct.load(x, (row, 0), (1, 64))" in str(profile)
    assert "<!DOCTYPE html>" in profile.to_html() and profile._repr_html_().startswith("<section")
    assert "<svg" in profile.to_flame_graph()
    trace = json.loads(profile.to_trace())
    assert {event["ph"] for event in trace["traceEvents"]} == {"M", "X"}
    assert profile.to_dict()["total"] == profile.total


def test_checks_and_profiles_exclude_each_other():
    with pytest.raises(ValueError, match="checker or is profiled"):
        cutile.launch(8, scaled_sum, arrays(), check=True, profile=True)
