#!/usr/bin/env python3
"""Makes the logs anew: make.py [id ...], after `npm install --prefix bench/logs/tools --ignore-scripts`. `--index` alone writes
what is known of them, `--big` makes only those that are too big to be kept."""

import gzip
import json
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from recipe import Recipe, make
from recipes.builds import BUILDS
from recipes.compilers import COMPILERS
from recipes.hand import HAND
from recipes.held import HELD
from recipes.held_more import MORE
from recipes.linters import LINTERS
from recipes.packages import PACKAGES
from recipes.programs import PROGRAMS
from recipes.runners import RUNNERS

HERE = Path(__file__).parent
RECIPES = [*COMPILERS, *RUNNERS, *LINTERS, *PACKAGES, *BUILDS, *PROGRAMS, *HELD, *MORE, *HAND]


def main(wanted: list[str]) -> None:
    root = Path(tempfile.mkdtemp(prefix="logs-"))
    tools = HERE / "tools"
    chosen = [r for r in RECIPES if not wanted or r.id in wanted or (r.big and "--big" in wanted)]
    (HERE / "kept").mkdir(exist_ok=True)
    (HERE / "made").mkdir(exist_ok=True)

    def one(recipe: Recipe) -> None:
        try:
            log = make(recipe, root, tools.resolve())
        except Exception as error:  # One tool that is missing does not stop the others.
            print(f"{recipe.id}: {error}", file=sys.stderr)
            return
        place = HERE / ("made" if recipe.big else "kept") / f"{recipe.id}.log.gz"
        place.write_bytes(gzip.compress(log, 9, mtime=0))
        print(f"{recipe.id}: {len(log)} bytes")

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(one, chosen))
    shutil.rmtree(root)
    index = [
        {"id": r.id, "command": r.command, "outcome": r.outcome, "set": r.set, "big": r.big, "real": r.set != "hand", "facts": r.facts}
        for r in RECIPES
    ]
    (HERE / "logs.json").write_text(json.dumps(index, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
