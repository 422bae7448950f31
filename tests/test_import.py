"""What `import symrnn` loads, and how the public names are found."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("sympy", "numpy", "pytest", "mpmath", "latex2sympy2", "antlr4", "rich", "jinja2", "click", "yaml")


def fresh(program: str) -> str:
    """Run a program in a new interpreter and return what it prints."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_symrnn_loads_none_of_its_dependencies():
    assert fresh(f"import sys, symrnn; print([m for m in {HEAVY!r} if m in sys.modules])") == "[]"


def test_a_public_name_is_found_on_first_use():
    assert fresh("import symrnn; print(symrnn.SymrnnError.__module__)") == "symrnn.errors"


def test_a_function_that_is_called_like_a_module_stays_the_function_after_the_module_is_imported():
    program = "import symrnn, symrnn.model; print(callable(symrnn.model), symrnn.Model.__name__)"
    assert fresh(program) == "True Model"


def test_an_unknown_name_is_an_attribute_error_that_lists_the_public_names():
    import symrnn

    with pytest.raises(AttributeError, match="no attribute 'nonsense'; its public names are Model"):
        symrnn.nonsense  # noqa: B018 (looking is the test)


def test_dir_lists_every_public_name():
    import symrnn

    assert set(symrnn.__all__) <= set(dir(symrnn))


def test_every_public_name_is_in_the_module_that_the_table_says():
    import symrnn

    found = {name: getattr(symrnn, name) for name in symrnn.__all__}
    assert None not in found.values()
    assert set(symrnn._PUBLIC) == set(symrnn.__all__) - {"__version__"}
