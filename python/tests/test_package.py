"""What a registry shows of the wheel."""

from importlib.metadata import files, metadata


def test_the_wheel_says_what_it_is() -> None:
    about = metadata("tilewright")
    assert about["License-Expression"] == "MIT OR Apache-2.0"
    assert "pip install tilewright" in about.get_payload()
    urls = dict(url.split(", ") for url in about.get_all("Project-URL"))
    assert urls["Documentation"].endswith("docs/python.md")
    assert all(url.startswith("https://") for url in urls.values())


def test_the_wheel_has_its_licences() -> None:
    names = {path.name: path for path in files("tilewright") if ".dist-info" in str(path)}
    for name in ("LICENSE-APACHE", "LICENSE-MIT"):
        assert name in metadata("tilewright").get_all("License-File")
        assert len(names[name].read_text()) > 1000
