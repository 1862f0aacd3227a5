"""``tilewright`` and ``python -m tilewright``: the command, as the wheel carries it."""

from __future__ import annotations

import signal
import sys

from tilewright._native import command_line


def main(name: str = "tilewright") -> None:
    """Run the command, called by this name, with the arguments of this process."""
    # Ctrl-C ends the command as it ends any other: Python would only take note of it until the command has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(command_line([name, *sys.argv[1:]]))


if __name__ == "__main__":
    main("python -m tilewright")
