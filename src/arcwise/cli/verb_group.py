"""A list of verbs in help texts: whole sentences, under the headings of the pipeline's stages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from typer.core import TyperGroup

__all__ = ["RUNNING", "TYPED", "VerbGroup"]

WHOLE = 10_000  # characters: no first sentence is longer
RUNNING = "arcwise.cli.running"  # where a context keeps the verb that runs
TYPED = "arcwise.cli.typed"  # and the words of the command line that asked for it


class VerbGroup(TyperGroup):
    """A group of verbs whose help shows the first sentence of each verb whole, wrapped rather than cut.

    `stages` are the headings and the verbs below each; verbs that none of them names follow under "Commands".
    """

    stages: ClassVar[Mapping[str, Sequence[str]]] = {}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the verb that was asked for, and remember it: mistakes are told in its options and what was typed."""
        name, command, rest = super().resolve_command(ctx, args)
        ctx.meta[RUNNING] = command
        ctx.meta[TYPED] = (*ctx.command_path.split(), *args)
        return name, command, rest

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the verbs, one definition list for each stage, all with the same indent."""
        known = [name for name in self.list_commands(ctx) if not self.commands[name].hidden]
        named = {name for verbs in self.stages.values() for name in verbs}
        sections = {**self.stages, "Commands": [name for name in known if name not in named]}
        width = max(map(len, known), default=0)
        for title, verbs in sections.items():
            rows = [
                (name.ljust(width), self.commands[name].get_short_help_str(WHOLE)) for name in verbs if name in known
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
