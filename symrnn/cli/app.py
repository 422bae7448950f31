"""The command ``symrnn``: finds its subcommands on first use and turns errors into messages and exit statuses.

| status | meaning |
|---|---|
| 0 | nothing refuted |
| 1 | something refuted, or a verdict that was not the expected one |
| 2 | wrong usage, or a document that could not be opened |
| 3 | an internal error |
| 130, 141 | interrupted, or the reader of stdout went away (as shells count them) |
"""

from __future__ import annotations

import io
import os
import shlex
import sys
import traceback
from importlib import import_module
from typing import Any

import click

from symrnn import __version__
from symrnn.errors import SymrnnError, closest_name, one_line

REFUTED = 1
NOT_ASKED = 2
INTERNAL = 3
INTERRUPTED = 130
PIPE_CLOSED = 141

COMMANDS = {
    "audit": "symrnn.cli.audit:audit",
    "check": "symrnn.cli.check:check",
    "compare": "symrnn.cli.compare:compare",
    "declare": "symrnn.cli.declare:declare",
    "derive": "symrnn.cli.derive:derive",
    "emit": "symrnn.cli.emit:emit",
    "explain": "symrnn.cli.explain:explain",
    "models": "symrnn.cli.models:models",
    "picture": "symrnn.cli.picture:picture",
    "read": "symrnn.cli.read:read",
    "recheck": "symrnn.cli.recheck:recheck",
    "report": "symrnn.cli.report:report",
    "unroll": "symrnn.cli.unroll:unroll",
}
"""Command name -> where it is; the modules import click and nothing heavier until a command runs."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), function)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            close = closest_name(args[0], COMMANDS)
            hint = f"Did you mean {close}?" if close else f"The commands are {', '.join(sorted(COMMANDS))}."
            raise click.UsageError(f"No such command {args[0]!r}. {hint}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a SymrnnError ends in status 2 with its text, any other error in status 3."""
        try:
            return super().invoke(ctx)
        except SymrnnError as error:
            _explain(ctx, str(error))
            ctx.exit(NOT_ASKED)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(PIPE_CLOSED)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            _explain(ctx, _internal(error, ctx.params["debug"]))
            ctx.exit(INTERNAL)


def _explain(ctx: click.Context, message: str) -> None:
    if ctx.params["debug"]:
        traceback.print_exc()
    click.echo(message, err=True)


def _internal(error: Exception, debug: bool) -> str:
    lines = [
        f"internal error: {type(error).__name__}: {one_line(error)}",
        f"  This is a fault of symrnn {__version__}, not of the document.",
    ]
    if debug:
        lines += ["  Report the lines above, with the document that caused them, where you got symrnn from."]
    else:
        lines += [
            f"  Run `symrnn --debug {shlex.join(sys.argv[1:])}` and report what it prints, with the document,",
            "  where you got symrnn from.",
        ]
    return "\n".join(lines)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", prog_name="symrnn")
@click.option("--debug", is_flag=True, help="Print the traceback of an error.")
@click.pass_context
def app(ctx: click.Context, debug: bool) -> None:
    """Derive, prove, judge and compile the mathematics of recurrent networks.

    Exit status: 0 nothing refuted, 1 something refuted or unexpected, 2 wrong usage or a document that could not be
    opened, 3 an internal error.
    """
    if os.environ.get("NO_COLOR"):
        ctx.color = False


def main() -> None:
    """Run the command line and exit; a character that the terminal cannot show is escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="symrnn")
