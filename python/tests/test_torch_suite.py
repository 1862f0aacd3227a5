"""What `crates/tilewright/benches/practitioners` writes of a suite is what `tilewright bench` reads."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("cuda.tile")

BENCHES = Path(__file__).resolve().parents[2] / "crates" / "tilewright" / "benches" / "practitioners"

EXPORT = """
import sys
from pathlib import Path

import cuda.tile as ct
import torch

sys.path.append(sys.argv[1])
import declare
import export


@ct.kernel
def logarithm(x, y):
    ct.store(y, (ct.bid(0),), ct.log(ct.maximum(ct.load(x, (ct.bid(0),), (16,)), 0.0)))


@declare.practice("logarithm", full={"n": 64}, quick={"n": 32})
def logarithms(n):
    arguments = [declare.floats(declare.f32, n), declare.result(declare.f32, n)]
    return declare.Problem(logarithm, arguments, n // 16, torch=lambda x: torch.log(x.clamp(min=0)))


folder = Path(sys.argv[2])
export.TILEWRIGHT = folder / "tilewright"
sys.argv[1:] = []
export.export(folder)
"""


def test_infinities_are_expected(tmp_path):
    (tmp_path / "logarithms.py").write_text(EXPORT)
    script = tmp_path / "tilewright"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tilewright "$@"\n')
    script.chmod(0o755)
    subprocess.run([sys.executable, tmp_path / "logarithms.py", BENCHES, tmp_path], check=True)
    [kernel] = json.loads((tmp_path / "suite.json").read_text(), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    [expected] = kernel["full"]["expected"]
    assert {value if isinstance(value, str) else "a number" for _, value in expected["elements"]} == {"-inf", "a number"}
    assert 0 < expected["non_finite"] < 64 and math.isfinite(expected["mean"]) and math.isfinite(expected["weighted"])
    command = [sys.executable, "-m", "tilewright", "bench", "--quick", "--threads", "1", "--suite", tmp_path]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr
