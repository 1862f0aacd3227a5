"""Modules: loading, looking at, checking, writing."""

import json

import numpy as np
import pytest

import tilewright


def test_a_module_is_a_mapping_of_its_kernels(saxpy):
    assert list(saxpy) == ["saxpy"]
    assert len(saxpy) == 1
    assert "saxpy" in saxpy
    assert [kernel.name for kernel in saxpy.kernels] == ["saxpy"]
    with pytest.raises(KeyError, match="no kernel 'axpy': the module has saxpy"):
        saxpy["axpy"]


def test_a_module_has_what_mappings_have():
    module = tilewright.load(b"entry @first() { return } entry @second(%x: tile<f32>) { return }")
    assert module.keys() == ["first", "second"]
    assert [kernel.name for kernel in module.values()] == ["first", "second"]
    assert [(name, kernel.parameters) for name, kernel in module.items()] == [("first", []), ("second", ["tile<f32>"])]
    assert module.get("second").name == "second"
    assert module.get("third") is None
    assert module.get("third", 3) == 3


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


def test_what_load_takes(examples):
    path = examples / "saxpy.tilebc"
    data = path.read_bytes()
    for source in (path, str(path), data, bytearray(data), memoryview(data)):
        assert list(tilewright.load(source)) == ["saxpy"]
    for source in (5, None, ["entry"], 1.5):
        with pytest.raises(TypeError, match="expected a path or the bytes of a file, got "):
            tilewright.load(source)
    for text in ("entry @k() { return }", "\n", "{\0"):
        with pytest.raises(ValueError, match=r"looks like the text of a module: tilewright\.parse takes text"):
            tilewright.load(text)


def test_text_is_parsed():
    assert list(tilewright.parse("entry @k() { return }")) == ["k"]
    assert tilewright.parse("entry @k() { return }", version="13.2").version == "13.2"
    with pytest.raises(tilewright.LoadError, match=r"kernel\.mlir:2"):
        tilewright.parse("entry @k() {\n nonsense }", name="kernel.mlir")
    with pytest.raises(TypeError, match=r"expected text, got bytes: tilewright\.load takes paths and bytes"):
        tilewright.parse(b"entry @k() { return }")


def test_errors_name_the_file_and_the_line(tmp_path):
    path = tmp_path / "kernel.mlir"
    path.write_text("entry @k() {\n  nonsense\n}")
    with pytest.raises(tilewright.LoadError, match=r"kernel\.mlir:2:3"):
        tilewright.load(path)
    path.write_text("entry @k(%x: tile<f32>) {\n  %y = addi %x, %x : tile<f32>\n}")
    finding, *_ = tilewright.load(path).verify()
    assert f"{path}:2:" in finding
    path.write_text(
        "entry @k(%p: tile<ptr<f32>>, %x: tile<f32>) {\n\n  %t = store_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> token\n}"
    )
    module = tilewright.load(path)
    array = np.zeros(1, np.float32)
    array.flags.writeable = False
    with pytest.raises(tilewright.LaunchError) as error:
        module["k"].launch(1, array, 1.0)
    assert error.value.location.startswith(f"{path}:3:")
    assert "store_ptr_tko weak" in error.value.source_line
    # The places are for messages: what is written has no source locations that the text does not give.
    assert str(path) not in module.text(debug_info=True)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "<bytes>: the file is empty"),
        (b"\xef\xbb\xbfentry @k() { return }", None),
        (b"entry @k() {\n  return // \xff\n}", "<bytes>:2:"),
        (b"entry @k() {\n  return \0\n}", "<bytes>:2:"),
        (b"PK\x03\x04", "<bytes>: this is a zip archive"),
        (b"\x7fTileIR\x00\xff\xff", "<bytes>: at byte 0x8"),
    ],
)
def test_files_that_are_something_else_are_named(data, message):
    if message is None:
        assert list(tilewright.load(data)) == ["k"]
        return
    with pytest.raises(tilewright.LoadError) as error:
        tilewright.load(data)
    assert message in str(error.value)
    assert "no Tile IR bytecode" not in str(error.value)


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


def test_passes_make_a_better_module(saxpy):
    text = """entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
        %zero = constant <i32: 0> : tile<i32>
        %m = addi %n, %zero : tile<i32>
        %t = store_ptr_tko weak %p, %m : tile<ptr<i32>>, tile<i32> -> token
    }"""
    module = tilewright.load(text.encode())
    for better in [module.optimize(), module.optimize("canonicalize, dce"), module.optimize(passes="canonicalize")]:
        assert "addi" not in better.text()
        assert better.verify() == []
    assert "addi" in module.text()
    with pytest.raises(ValueError, match="there is no pass 'lcim'; did you mean 'licm'"):
        module.optimize("cse,lcim")
    with pytest.raises(tilewright.VerifyError):
        tilewright.load(b"entry @k(%x: tile<4xf32>) { return }").optimize()
    x, y = np.ones(1000, np.float32), np.full(1000, 0.5, np.float32)
    saxpy.optimize()["saxpy"].launch(4, 2.0, *tilewright.spread(x), *tilewright.spread(y))
    assert (y == 2.5).all()


def test_what_nothing_reads_is_carried_out_without_passes():
    text = "entry @k(%i: tile<i32>) { %x = constant <f32: 1.0> : tile<8xf32> %y = extract %x[%i] : tile<8xf32> -> tile<4xf32> return }"
    module = tilewright.load(text.encode())
    module["k"].launch(1, 2)
    with pytest.raises(tilewright.LaunchError, match="extract"):
        module.without_passes()["k"].launch(1, 2)


def test_kernels_give_the_same_without_machine_code(saxpy, monkeypatch):
    x = np.linspace(-3, 3, 1000, dtype=np.float32)

    def result(module):
        y = np.full(1000, 0.1, np.float32)
        module["saxpy"].launch(4, 1.7, *tilewright.spread(x), *tilewright.spread(y))
        return y.tobytes()

    monkeypatch.setenv("TILEWRIGHT_JIT", "0")
    obedient = tilewright.load(saxpy.write())
    expected = result(saxpy)
    assert result(saxpy.without_native_code()) == expected
    assert result(saxpy.without_passes().without_native_code()) == expected
    assert result(obedient) == expected
    monkeypatch.setenv("TILEWRIGHT_JIT", "off")
    with pytest.raises(tilewright.LoadError, match="TILEWRIGHT_JIT must be 0 or 1, not 'off'"):
        tilewright.load(saxpy.write())
