"""What a log is made of: a project written to a directory of its own, and a real tool run in it."""

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

#: As nacre runs commands: no prompts, no colours, no progress bars.
QUIET = {"CI": "1", "NO_COLOR": "1", "TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat", "DEBIAN_FRONTEND": "noninteractive"}


@dataclass(frozen=True)
class Recipe:
    id: str
    #: What a model would have called; the condenser is chosen by it.
    command: str
    #: Texts that a reader must still find. Written down with the project, before any result is looked at.
    facts: list[str]
    #: Writes the project into an empty directory.
    prepare: Callable[[Path], None]
    #: `pass` (all tests did), `install`, `fail`, or `other`.
    outcome: str
    #: What is really run, where it differs from `command`.
    run: str | None = None
    #: Which set it belongs to: `tuned` ones were looked at while the patterns were written, `held` ones were not.
    set: str = "tuned"
    env: dict[str, str] = field(default_factory=dict)
    #: Whether a terminal is pretended, for tools that draw.
    terminal: bool = False
    #: Too big to keep: made anew when it is wanted.
    big: bool = False


def make(recipe: Recipe, root: Path, tools: Path) -> bytes:
    """Runs a recipe; the raw output, with this machine's directories taken out."""
    directory = root / recipe.id
    directory.mkdir(parents=True)
    recipe.prepare(directory)
    modules = directory / "node_modules"
    if not modules.exists():
        modules.symlink_to(tools / "node_modules")
    path = f"{tools}/node_modules/.bin:{os.environ['PATH']}"
    env = {**os.environ, **({} if recipe.terminal else QUIET), "PATH": path, **recipe.env}
    command = recipe.run or recipe.command
    argv = ["script", "-qec", command, "/dev/null"] if recipe.terminal else ["bash", "-c", command]
    done = subprocess.run(argv, cwd=directory, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    home = os.path.expanduser("~")
    log = done.stdout
    for place, name in ((directory, "/code/project"), (root, "/code"), (tools, "/code/tools"), (home, "/home/dev")):
        log = log.replace(str(place).encode(), name.encode())
    # Where packages came from is nobody's business.
    log = re.sub(rb"\b(https?|ftp)://[A-Za-z0-9.:@_%-]+", rb"\1://registry.example", log)
    log = re.sub(rb"\b[a-z0-9.-]*\b(?:pypi\.org|npmjs\.org|debian\.org)\b", b"registry.example", log)
    return re.sub(rb"\b(?:10|172|192)(?:\.\d{1,3}){3}\b", b"192.0.2.1", log)


def write(directory: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
