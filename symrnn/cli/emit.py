"""``symrnn emit``: write a module that computes a model, its loss and its gradients."""

from __future__ import annotations

import click

from symrnn.cli.output import loss_at_option, write

TARGETS = ("numpy",)
STYLES = ("looped", "unrolled")


@click.command()
@click.argument("model")
@click.option("--target", type=click.Choice(TARGETS), default=TARGETS[0], show_default=True, help="Language or library.")
@click.option("--style", type=click.Choice(STYLES), default=STYLES[0], show_default=True,
              help="A loop over any number of steps, or one expression at fixed sizes.")
@click.option("-T", "--steps", type=click.IntRange(min=1), help="Number of time steps (unrolled only).")
@click.option("--sizes", metavar="N,N,...", help="Sizes, as 2,2,3 or n_x=2,n_h=2,n_y=3 (unrolled only).")
@click.option("--outputs", metavar="NAME,...", help="Functions to write: forward, loss, gradients (all, if not given); or last: the "
              "outputs of the last step and what they need, nothing else.")
@loss_at_option
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write to this file instead of stdout.")
def emit(
    model: str, target: str, style: str, steps: int | None, sizes: str | None, outputs: str | None, loss_at: str, output: str | None
) -> None:
    """Write code for a model and its gradients.

    A MODEL is a document, a name that `symrnn models` lists, or several joined by + (a stack, the first at the bottom).
    """
    fixed = steps is not None and sizes is not None
    if style == "unrolled" and not fixed:
        raise click.UsageError("--style unrolled needs -T and --sizes, such as -T 3 --sizes 2,2,3.")
    if style == "looped" and (steps is not None or sizes is not None):
        raise click.UsageError("-T and --sizes belong to --style unrolled; a looped module works for any.")

    from symrnn import api
    from symrnn.cli import values
    from symrnn.cli.progress import Progress

    wanted = values.names(outputs, api.EMIT_CHOICES, "--outputs") if outputs is not None else api.EMIT_OUTPUTS
    chosen = values.sizes(sizes)
    with Progress("emitting"):
        text = api.emit(model, target=target, style=style, steps=steps, sizes=chosen, outputs=wanted, loss_at=loss_at)
    write(text, output)
