"""Make the fonts that reports carry: subsets of STIX Two Math and STIX Two Text, with the glyphs that formulas and English need.

    python docs/fonts.py FOLDER

needs the packages fonttools and brotli. FOLDER holds the files of the npm packages @fontsource/stix-two-math and
@fontsource/stix-two-text 5.3.0, unpacked as stix-two-math/ and stix-two-text/. The same files give the same bytes.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

ASSETS = Path(__file__).resolve().parents[1] / "symrnn" / "report" / "assets"
ASCII = range(0x20, 0x7F)
MATHS = (
    ASCII,
    range(0x1D400, 0x1D4D0),                        # bold, italic, bold italic, script capitals and small letters
    range(0x1D538, 0x1D56C),                        # double-struck
    range(0x1D6A8, 0x1D756),                        # Greek: bold, italic, bold italic
    range(0x391, 0x3CA),
    map(ord, "ℂℎℋℐℒℓℕℙℚℛℝℤℬℰℱℳϕϑϵϱ𝟙𝟎𝟏ıȷ𝚤𝚥"),
    map(ord, "±×÷·⋅¬‘’“”⊺∂∇∑∏∫∈∉∋⊂⊆⊃⊇∪∩∅∞∀∃∧∨⊕⊗⊙⊘∘∗⋆†‡≤≥≪≫≠≈≡∼≃≅∝≔≜∓∖⊢≺≻⪯⪰∥∣‖√⊤⊥−"),
    map(ord, "←→↔⇐⇒⇔↑↓↦⟶⟵⟹⟺⟨⟩⌈⌉⌊⌋′″‴…⋯⋮⋱⏞⏟⏠⏡⎴⎵"),
    map(ord, "ˆ˜¯˙¨ˇ˘´`‾\u0302\u0303\u0304\u0305\u0307\u0308\u20d7\u0332"),
    map(ord, "✓◐○●□■"),
)
WORDS = (ASCII, map(ord, "\u00a0–—‘’“”…·×§©«»áàâäãåçéèêëíìîïñóòôöõøúùûüýÿßÁÀÂÄÃÅÇÉÈÊËÍÌÎÏÑÓÒÔÖÕØÚÙÛÜÝœŒæÆ"))
FONTS = (
    ("stix-two-math/files/stix-two-math-latin-400-normal.woff2", "maths.woff2", MATHS, ["ssty", "dtls", "flac"]),
    ("stix-two-text/files/stix-two-text-latin-400-normal.woff2", "text.woff2", WORDS, ["kern", "liga"]),
    ("stix-two-text/files/stix-two-text-latin-400-italic.woff2", "text-italic.woff2", WORDS, ["kern", "liga"]),
    ("stix-two-text/files/stix-two-text-latin-700-normal.woff2", "text-bold.woff2", WORDS, ["kern", "liga"]),
)
"""(source, subset, the characters it keeps, the features it keeps)"""


def made(source: Path, characters: Iterable[Iterable[int]], features: list[str]) -> bytes:
    """The subset of a font as WOFF2."""
    font = TTFont(source, recalcTimestamp=False)
    options = subset.Options(layout_features=features, hinting=False, name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14], recalc_timestamp=False)
    reduced = subset.Subsetter(options)
    reduced.populate(unicodes=sorted({c for part in characters for c in part}))
    reduced.subset(font)
    font.flavor = "woff2"
    out = io.BytesIO()
    font.save(out)
    return out.getvalue()


def main(folder: str) -> None:
    """Write every subset, and the licence that goes with them."""
    ASSETS.mkdir(exist_ok=True)
    for source, name, characters, features in FONTS:
        data = made(Path(folder) / source, [list(part) for part in characters], features)
        (ASSETS / name).write_bytes(data)
        print(f"{name}: {len(data)} bytes")
    licence = (Path(folder) / "stix-two-math" / "LICENSE").read_text(encoding="utf-8")
    (ASSETS / "OFL.txt").write_text("\n".join(line.rstrip() for line in licence.splitlines()).strip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
