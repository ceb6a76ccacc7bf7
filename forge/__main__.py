"""The command `forge`, and `python -m forge`: Ctrl-C is one line even while modules load."""

import sys


def main() -> None:
    try:
        from forge.cli.main import app

        app()
    except KeyboardInterrupt:
        print("forge: interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
