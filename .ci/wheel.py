"""Check a built wheel: it carries symrnn/ and its metadata, every module and all data, and nothing else."""

import sys
import zipfile
from pathlib import Path

NEEDED = ("symrnn/__init__.py", "symrnn/py.typed", "symrnn/schema/audit.json", "symrnn/cli/__init__.py")


def main(folder: str) -> None:
    """Check the one wheel of a folder; exit with a message if it is not as it must be."""
    wheels = sorted(Path(folder).glob("*.whl"))
    if len(wheels) != 1:
        sys.exit(f"one wheel was expected, {len(wheels)} were built")
    names = zipfile.ZipFile(wheels[0]).namelist()
    tops = {name.split("/")[0] for name in names}
    strangers = sorted(top for top in tops if top != "symrnn" and not top.endswith(".dist-info"))
    absent = sorted(set(NEEDED) - set(names))
    source = {p.as_posix() for p in Path("symrnn").rglob("*") if p.is_file() and "__pycache__" not in p.parts}
    if strangers or absent or source - set(names):
        sys.exit(f"{wheels[0].name}: not wanted: {strangers}; missing: {sorted({*absent, *(source - set(names))})}")
    print(f"{wheels[0].name}: {len(names)} files, {', '.join(sorted(tops))}")


main(sys.argv[1])
