"""The command `forge`, and `python -m forge`: Ctrl-C is one line even while modules load."""

import signal
import sys
from types import FrameType


def main() -> None:
    came = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal came
        came = True
        signal.default_int_handler(number, frame)

    # Libraries that build classes while they load wrap the interrupt in errors of their own, so
    # that it came is remembered. A run that was told to ignore it goes on ignoring it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
    try:
        from forge.cli.main import app

        app()
    except (KeyboardInterrupt, Exception):
        if not came:
            raise
        print("forge: interrupted", file=sys.stderr)
        sys.exit(130)
    finally:
        # An interrupt inside an `exec` of text (imports have some) makes CPython end by SIGINT
        # whatever was handled later, until the next one.
        exec("")


if __name__ == "__main__":
    main()
