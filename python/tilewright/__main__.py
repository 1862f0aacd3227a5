"""``python -m tilewright``: the command ``tilewright``, as the wheel carries it."""

from __future__ import annotations

import signal
import sys

from tilewright._native import command_line


def main() -> None:
    """Run the command with the arguments of this process."""
    # Ctrl-C ends the command as it ends any other: Python would only take note of it until the command has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(command_line(["python -m tilewright", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
