"""``python -m symrnn`` is the command ``symrnn``."""

from symrnn.cli import main

if __name__ == "__main__":
    main()
