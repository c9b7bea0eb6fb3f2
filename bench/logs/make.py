#!/usr/bin/env python3
"""Makes the logs anew: make.py <tools> [id ...]. <tools> is a directory in which npm installed what tools.json names."""

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
from recipes.held import HELD
from recipes.linters import LINTERS
from recipes.packages import PACKAGES
from recipes.programs import PROGRAMS
from recipes.runners import RUNNERS

HERE = Path(__file__).parent
RECIPES = [*COMPILERS, *RUNNERS, *LINTERS, *PACKAGES, *BUILDS, *PROGRAMS, *HELD]


def main(tools: Path, wanted: list[str]) -> None:
    root = Path(tempfile.mkdtemp(prefix="logs-"))
    chosen = [recipe for recipe in RECIPES if not wanted or recipe.id in wanted]
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
        {"id": r.id, "command": r.command, "outcome": r.outcome, "set": r.set, "big": r.big, "real": True, "facts": r.facts}
        for r in RECIPES
    ]
    (HERE / "real.json").write_text(json.dumps(index, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
