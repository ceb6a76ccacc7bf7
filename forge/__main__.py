"""The command `forge`, and `python -m forge`: Ctrl-C is one line even while modules load."""

import sys


def main() -> None:
    try:
        from forge.cli.main import app

        app()
    except KeyboardInterrupt:
        print("forge: interrupted", file=sys.stderr)
        sys.exit(130)
    finally:
        # An interrupt inside an `exec` of text (imports have some) makes CPython end by SIGINT
        # whatever was handled later, until the next one.
        exec("")


if __name__ == "__main__":
    main()
