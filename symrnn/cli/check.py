"""``symrnn check``: judge one claim."""

from __future__ import annotations

import click

from symrnn.cli.output import note, output_options, render, write
from symrnn.cli.values import Seconds


@click.command()
@click.argument("claim")
@click.option("--given", multiple=True, metavar="EQUATION", help="A fact or a definition; may be repeated.")
@click.option("--shape", multiple=True, metavar="SYMBOL=SHAPE", help="A shape, such as 'W_{hh} = n_h x n_h'; may be repeated.")
@click.option("--assume", multiple=True, metavar="CONDITION", help="A condition, such as 't < T'; may be repeated.")
@click.option("--language", default="latex", metavar="LANGUAGE", help="latex, or python, ascii, c, c++, cuda, java, javascript, matlab.")
@click.option("--timeout", type=Seconds(), metavar="SECONDS", help="Time for the claim; 20 unless asked for otherwise.")
@click.option("--require-checked", is_flag=True, help="Exit 1 also if the claim is undecided or unreadable.")
@click.option("--certificate", type=click.Path(dir_okay=False), metavar="FILE", help="Write the certificate of the verdict to FILE.")
@output_options("text", "json", "latex")
@click.pass_context
def check(
    ctx: click.Context,
    claim: str,
    given: tuple[str, ...],
    shape: tuple[str, ...],
    assume: tuple[str, ...],
    language: str,
    timeout: float | None,
    require_checked: bool,
    certificate: str | None,
    form: str,
    output: str | None,
) -> None:
    """Judge one claim: an equation in LaTeX, or statements in code.

    \b
    symrnn check '\\frac{\\partial h_t}{\\partial h_{t-1}} = W \\mathrm{diag}(1 - h_t^2)' \\
        --given 'h_t = \\tanh(W h_{t-1})' --shape 'W = n x n'

    \b
    symrnn check 'dx = dy * y * (1 - y)' --language python \\
        --given 'y = sigmoid(x)' --given 'dy = dL/dy; dx is to be dL/dx' --shape 'all = n'
    """
    from symrnn import api
    from symrnn.cli import values
    from symrnn.cli.progress import Progress

    shapes = values.shapes(shape)
    with Progress("judging"):
        result = api.check(claim, given=given, shapes=shapes, assume=assume, timeout=timeout, language=language)
        words = None if certificate is None else api.certify_check(result, given, certificate)
    if words is not None:
        note(words)
    write(render(result, form), output)
    failing = ("refuted", "undecided", "unreadable") if require_checked else ("refuted",)
    ctx.exit(int(result.verdict in failing))
