"""The judge of cuTile's own tests: what is listed to fail has to fail, and nothing else may."""

import json
from pathlib import Path

import pytest
from cutile_tests import Known

LIST = Path(__file__).with_name("cutile_failures.json")


def test_the_list_has_exact_names():
    known = Known.read(LIST)
    for name in [*known.failures, *known.memory]:
        file, separator, test = name.partition("::")
        assert file.startswith("test_") and separator and (test.startswith("test_") or test == "collection"), name
        assert test.endswith("]") or "[" not in test, name
    assert all(reason and reason[0].islower() for reason in known.failures.values())


def test_surprises():
    known = Known({"test_a::test_x[1]": "a reason", "test_b::test_y": "another"}, {"test_b::test_y": 20})
    assert known.surprises("test_a", {"test_a::test_x[1]": "failed", "test_a::test_x[2]": "passed"}, {}) == []
    assert known.surprises("test_a", {"test_a::test_x[1]": "failed", "test_a::test_x[2]": "failed"}, {}) == [
        "test_a::test_x[2] fails, which is not listed"
    ]
    for outcome in ("passed", "skipped"):
        found = known.surprises("test_a", {"test_a::test_x[1]": outcome}, {})
        assert found == [f"test_a::test_x[1] is listed to fail, but {outcome}"]
    assert known.surprises("test_a", {}, {}) == ["test_a::test_x[1] is listed to fail, but was not there"]
    at_times = Known({"test_a::test_x": "random numbers"}, {}, frozenset({"test_a::test_x"}))
    assert (
        at_times.surprises("test_a", {"test_a::test_x": "passed"}, {})
        == []
        == at_times.surprises("test_a", {"test_a::test_x": "failed"}, {})
    )
    assert at_times.surprises("test_a", {}, {}) == ["test_a::test_x is listed to fail, but was not there"]
    assert known.too_large("test_b", 19.9) == {"test_b::test_y": 20}
    assert known.too_large("test_b", 20.1) == {} == known.too_large("test_a", 1)
    assert known.surprises("test_b", {}, known.too_large("test_b", 1)) == []


def test_a_test_is_listed_once(tmp_path):
    path = tmp_path / "list.json"
    path.write_text(
        json.dumps({"failures": {"one": ["test_a::test_x"], "two": ["test_a::test_x"]}, "failures_at_times": {}, "memory_in_gib": {}})
    )
    with pytest.raises(ValueError, match="lists tests twice: test_a::test_x"):
        Known.read(path)
