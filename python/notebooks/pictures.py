"""Executes the notebooks of this folder, and takes pictures of their cells for the documentation.

python python/notebooks/pictures.py FOLDER

Each cell with a tag ``picture:NAME`` becomes FOLDER/notebook-NAME.png, by a headless Chromium. Needs nbconvert and ipykernel.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter

_WIDTH = 1000
_LARGEST_HEIGHT = 780
#: Nothing is loaded from elsewhere, and Chromium keeps nothing.
_CHROMIUM = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND"]
#: Makes the height of what is shown the title of the page.
_MEASURE = """<script>
addEventListener("load", () => { document.title = Math.ceil(document.querySelector("main").getBoundingClientRect().bottom) + 16; });
</script>"""


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description="Take pictures of the cells of notebooks.")
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(Path(__file__).parent.glob("*.ipynb")):
        notebook = nbformat.read(path, 4)
        NotebookClient(notebook, timeout=600).execute()
        for cell in notebook.cells:
            for tag in cell.metadata.get("tags", []):
                if tag.startswith("picture:"):
                    take(cell, notebook, folder / f"notebook-{tag.removeprefix('picture:')}.png")


def take(cell: nbformat.NotebookNode, notebook: nbformat.NotebookNode, picture: Path) -> None:
    """Take the picture of a cell with what it shows."""
    alone = nbformat.v4.new_notebook(cells=[cell], metadata=notebook.metadata)
    html, _ = HTMLExporter(exclude_input_prompt=True, exclude_output_prompt=True).from_notebook_node(alone)
    with tempfile.TemporaryDirectory() as temporary:
        page = Path(temporary, "page.html")
        page.write_text(html.replace("</head>", f"{_MEASURE}</head>"))
        measured = chromium("--dump-dom", temporary, page)
        found = re.search(r"<title>(\d+)</title>", measured)
        if found is None:
            sys.exit(f"the page of {picture.name} has no height")
        height = min(int(found[1]), _LARGEST_HEIGHT)
        chromium(f"--screenshot={picture.absolute()}", temporary, page, height)
    if not picture.exists():
        sys.exit(f"there is no {picture}")
    print(f"{picture}: {_WIDTH}x{height}, {picture.stat().st_size} bytes")


def chromium(what: str, profile: str, page: Path, height: int = _LARGEST_HEIGHT) -> str:
    """Open a page."""
    command = [*_CHROMIUM, f"--user-data-dir={profile}/chromium", f"--window-size={_WIDTH},{height}", what, page.as_uri()]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


if __name__ == "__main__":
    main()
