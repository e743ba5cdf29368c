"""`spell_error`: the message of an error in the words of the command line, its arguments as options of a verb."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arcwise.base.errors import UNSAID, ArcwiseError, Argument, Call, Either, Mention, Remedy

# Which verb does what a function does.
VERBS = {"impute": "impute", "discretize": "discretize", "build_parent_sets": "scores", "learn": "learn"}


@dataclass(frozen=True)
class SpelledOptions:
    """The options of a verb: by flag, whether each is a switch, which takes no value; and the flags of arguments."""

    switches: Mapping[str, bool]
    flags: Mapping[str, str]

    @classmethod
    def of(cls, command: Any) -> SpelledOptions:
        """Return the options of a click command; none if there is no command."""
        parameters = getattr(command, "params", ())
        return cls(
            {
                name: bool(getattr(parameter, "is_flag", False))
                for parameter in parameters
                for name in (*parameter.opts, *parameter.secondary_opts)
                if name.startswith("--")
            },
            {item.name: item.flag for item in getattr(getattr(command, "callback", None), "options", {}).values()},
        )

    def spell(self, argument: Argument) -> str | None:
        """Return an argument as an option, such as ``--format csv``; None if the verb has none for it."""
        name = self.flags.get(argument.name, f"--{argument.name.replace('_', '-')}")
        if argument.value is False:
            name = f"--no-{name[2:]}"
        if name not in self.switches:
            return None
        if self.switches[name] or (argument.value is UNSAID and argument.shown is None):
            return name
        if argument.value is UNSAID:
            return f"{name} {argument.name.upper()}"
        values = argument.value if isinstance(argument.value, list) else [argument.value]
        if isinstance(argument.value, dict):  # an option with NAME=VALUE is given once for each
            values = [f"{key}={value}" for key, value in argument.value.items()]
        return " ".join(f"{name} {_text(value)}" for value in values)


def _text(value: Any) -> str:
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.10g}"
    return shlex.quote(str(value))


def spell_error(error: ArcwiseError, command: Any, find: Callable[[str], Any], typed: Sequence[str] = ()) -> str:
    """Return the message of an error in the words of the command line.

    `command` is the verb that runs, `find` gives others by name. A remedy that no option is for is left out.
    A call of the verb that runs is what was `typed` with the arguments added, so that it can be run as it stands.
    """
    own = SpelledOptions.of(command)

    def spell(mention: Mention) -> str | None:
        if isinstance(mention, Argument):
            return own.spell(mention)
        if isinstance(mention, Either):
            return own.spell(mention.option)
        verb = VERBS.get(mention.function, "")
        found = find(verb)
        if found is None:
            return None
        begun = typed if typed and found is command else ("arcwise", verb)
        return _spell_call(mention, begun, SpelledOptions.of(found))

    def is_known(remedy: Remedy) -> bool:
        return all(isinstance(part, str) or spell(part) is not None for part in remedy.parts)

    remedies = [remedy for remedy in error.remedies if is_known(remedy)]
    return error.spelled(lambda mention: spell(mention) or str(mention), remedies)


def _spell_call(call: Call, begun: Sequence[str], options: SpelledOptions) -> str | None:
    """Return the command that was begun with the arguments of a call; what follows "--" is no option."""
    spelled = [options.spell(argument) for argument in call.arguments]
    if None in spelled:
        return None
    end = begun.index("--") if "--" in begun else len(begun)
    words = [*map(shlex.quote, begun[:end]), *(part for part in spelled if part), *map(shlex.quote, begun[end:])]
    return f"`{' '.join(words)}`"
