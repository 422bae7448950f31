"""A document that tries what a document may try against those who read its report, and the report of any text."""

from __future__ import annotations

from pathlib import Path

from symrnn.audit import Auditor, Judged
from symrnn.read.document import parse_document
from symrnn.report.build import Builder
from symrnn.report.model import Report

HOSTILE = r"""---
symrnn:
  source: "</title><script>alert('source')</script> \\input{secret} #let x = 1"
  symbols: {h: "vector n, sequence", W: matrix n n, b: vector n}
---
# A <script>alert(1)</script> title & "quotes" \end{document} #panic()

<script>alert(2)</script> <img src=x onerror=alert(3)> <style>* { display: none }</style> </main></body>

[click](javascript:alert(4)) [data](data:text/html,<script>alert(5)</script>) ![beacon](https://example.org/beacon.png)
[web](https://example.org/a?b=1&c="2") <https://example.org/> [file](../secret) [tricky](java&#10;script:alert(6))

`</code><script>alert(7)</script>` and 50% of $5, #1, a_b, x^2, {braces}, ~tilde~, \input{secret}, \write18{rm}, "]; #eval("1")

```html
</code></pre><script>alert(8)</script>
\end{codelines}\end{document}
```

$$ h_t = \tanh(W h_{t-1} + b) $$

$$ h_t = \href{javascript:alert(9)}{x} + \text{<script>alert(10)</script>} $$

$$ \newcommand{\x}{\input{secret}} h_t = \x $$

$$ h_t = \input{secret} \write18{rm} \class{a" onclick="alert(11)}{x} $$

The state $h_t<script>alert(12)</script>$ and $\text{</math><script>alert(13)</script>}$ and $\unknown{x}$.

| a <b> | `|` |
|---|--:|
| <script>alert(14)</script> | $\text{<i>}$ |

1. one
2. ## two

> quoted </blockquote>

```{audit}
:expect: refuted

$$ h_t = \tanh(W h_{t-1}) + \text{<b>} $$
```

```{audit}
$$ h_t = \tanh(W^\top h_{t-1} + b) $$
```
"""


def judged(text: str, path: str = "notes.md") -> Judged:
    """A text as a judged document."""
    document = parse_document(text, path)
    auditor = Auditor(document)
    equations = auditor.run()
    return Judged(path, "0" * 64, document, equations, auditor.models(), auditor.notation)


def report_of(text: str, path: str = "notes.md") -> Report:
    """The report of a text."""
    return Builder(judged(text, path), Path(path).stem).report()
