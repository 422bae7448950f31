"""Pictures as SVG: pure functions, data in and text out; the same data gives the same bytes."""
