"""Writing: expressions, derivations, unrolled networks and their graphs as LaTeX, Markdown, text, JSON and SVG."""
