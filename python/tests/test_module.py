"""Modules: loading, looking at, checking, writing."""

import json

import pytest

import tilewright


def test_a_module_is_a_mapping_of_its_kernels(saxpy):
    assert list(saxpy) == ["saxpy"]
    assert len(saxpy) == 1
    assert "saxpy" in saxpy
    assert [kernel.name for kernel in saxpy.kernels] == ["saxpy"]
    with pytest.raises(KeyError, match="no kernel 'axpy': the module has saxpy"):
        saxpy["axpy"]


def test_parameters_are_types(saxpy):
    parameters = saxpy["saxpy"].parameters
    assert parameters == ["tile<f32>", *["tile<ptr<f32>>", "tile<i32>", "tile<i32>"] * 2]


def test_bytecode_text_and_back(saxpy, examples):
    assert saxpy.version == "13.3"
    assert saxpy.verify() == []
    assert saxpy.write() == (examples / "saxpy.tilebc").read_bytes()
    again = tilewright.load(str(saxpy).encode(), version="13.3")
    assert again.text() == saxpy.text()
    assert tilewright.load(saxpy.write("13.1")).version == "13.1"


def test_work_is_counted(saxpy):
    assert saxpy.stats["totals"]["operations"] == 19
    assert json.dumps(saxpy.stats)


def test_what_is_no_module_is_refused(tmp_path):
    with pytest.raises(tilewright.LoadError, match="<bytes>: "):
        tilewright.load(b"\x7fTileIR\x00")
    with pytest.raises(tilewright.LoadError, match=r"^<bytes>: .*\n"):
        tilewright.load(b"entry @k() { nonsense }")
    with pytest.raises(FileNotFoundError):
        tilewright.load(tmp_path / "missing.tilebc")
    with pytest.raises(ValueError, match="99"):
        tilewright.load(b"entry @k() { return }", version="99.1")


def test_a_module_that_breaks_rules_can_be_looked_at():
    broken = tilewright.load(b"entry @k(%x: tile<4xf32>) { return }")
    assert "entry @k" in broken.text()
    findings = broken.verify()
    assert len(findings) == 1
    with pytest.raises(tilewright.VerifyError) as error:
        broken["k"]
    assert error.value.findings == findings


def test_what_a_version_lacks_cannot_be_written():
    text = "entry @k(%a: tile<f32>) { %1 = atan2 %a, %a : tile<f32>  return }"
    module = tilewright.load(text.encode())
    assert module.verify() == []
    with pytest.raises(tilewright.WriteError, match="atan2"):
        module.write("13.1")
