"""The scripts of the gallery, which judge their results themselves."""

import subprocess
import sys
from pathlib import Path

import pytest

GALLERY = Path(__file__).resolve().parents[1] / "gallery"


def test_there_are_six():
    assert len(list(GALLERY.glob("*.py"))) == 6


@pytest.mark.parametrize("script", sorted(GALLERY.glob("*.py")), ids=lambda path: path.stem)
def test_script(script):
    done = subprocess.run([sys.executable, "-m", "tilewright.cutile", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1
