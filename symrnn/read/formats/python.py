from pathlib import Path
from symrnn.read.document import Document
def scan_python(text: str, path: str, folder: Path | None = None) -> Document: raise NotImplementedError
