"""A second set that nothing was fitted to, written when the patterns were done."""

from pathlib import Path

from recipe import Recipe, write
from recipes.held import held
from recipes.programs import source

NOISE = "for i in $(seq 1 1500); do echo \"{0} item $i of the nightly batch, all fine\"; done"


def after(directory_text: dict[str, str]):
    return lambda directory: write(directory, directory_text)


def tox(directory: Path) -> None:
    write(directory, {"test_fleet.py": "import pytest\n\n\n@pytest.mark.parametrize('n', range(900))\ndef test_truck(n):\n    assert n != 613, f'truck {n} has no driver'\n"})


def many_failures(directory: Path) -> None:
    write(directory, {"test_many.py": "import pytest\n\n\n@pytest.mark.parametrize('n', range(400))\ndef test_gauge(n):\n    assert n % 5, f'gauge {n} is stuck'\n\n\ndef test_boiler_valve():\n    raise OSError('valve 9 does not answer')\n"})


def rust_lib(directory: Path) -> None:
    body = "".join(f"pub fn f{n}(a: u32) -> u32 {{ let b{n} = a; a }}\n" for n in range(300))
    write(directory, {"Cargo.toml": '[package]\nname = "mill"\nversion = "0.1.0"\nedition = "2021"\n', "src/lib.rs": body + "pub fn grind(x: &str) -> u32 { x.grains() }\n"})


def perl_compile(directory: Path) -> None:
    write(directory, {"ferry.pl": "use strict;\nfor my $n (1..10) { print $n }\nmy $x = $undeclared_cargo + 1;\n"})


def makefile(directory: Path) -> None:
    rules = "".join(f"step{n}:\n\t@echo preparing part {n} of the hull with great care\n" for n in range(1200))
    names = " ".join(f"step{n}" for n in range(1200))
    write(directory, {"Makefile": f"all: {names} keel\n{rules}keel: timber.txt\n\t@echo laid\n"})


def npm_script(directory: Path) -> None:
    write(directory, {"package.json": '{"name": "mill", "version": "1.0.0", "scripts": {"build": "node build.js"}}', "build.js": "for (let n = 0; n < 2000; n += 1) console.log(`bundled page ${n} of the catalogue`);\nconsole.error('Error: template footer.hbs is missing the partial \"imprint\"');\nprocess.exit(3);\n"})


def jest_snapshot(directory: Path) -> None:
    tests = "".join(f"test('draws chart {n}', () => {{ expect({n}).toBe({n}); }});\n" for n in range(700))
    write(directory, {"package.json": '{"name": "charts"}', "jest.config.json": "{}", "charts.test.js": tests + "test('legend is stable', () => {\n  expect({ colour: 'teal', width: 3 }).toEqual({ colour: 'navy', width: 3 });\n});\n"})


MORE = [
    held("held2-pytest-param", "tox", ["test_truck[613]", "truck 613 has no driver", "1 failed, 899 passed"], tox, "fail", run="python3 -m pytest -v -p no:cacheprovider"),
    held("held2-pytest-many", "pytest", ["test_boiler_valve", "valve 9 does not answer", "gauge 0 is stuck", "81 failed, 320 passed"], many_failures, "fail", run="python3 -m pytest -p no:cacheprovider"),
    held("held2-cargo-check", "cargo check", ["no method named `grains`", "src/lib.rs:301:", "could not compile `mill`"], rust_lib, "fail"),
    held("held2-perl-strict", "./deploy.sh", ["Global symbol \"$undeclared_cargo\" requires explicit package name", "ferry.pl line 3"], perl_compile, "fail", run=NOISE.format("loaded") + "; perl ferry.pl; " + NOISE.format("unloaded")),
    held("held2-make-rule", "make -k", ["No rule to make target 'timber.txt', needed by 'keel'"], makefile, "fail"),
    held("held2-npm-script", "npm run build", ["template footer.hbs is missing the partial \"imprint\""], npm_script, "fail"),
    held("held2-jest-object", "npx jest --verbose", ["legend is stable", "navy", "teal", "charts.test.js:702", "1 failed, 700 passed"], jest_snapshot, "fail", run="jest --verbose"),
    held("held2-curl", "./fetch.sh", ["curl: (6) Could not resolve host: mirror.invalid"], source("x", ""), "fail", run=NOISE.format("fetched") + "; curl -sS http://mirror.invalid/x; " + NOISE.format("stored")),
    held("held2-permission", "./rotate.sh", ["/proc/self/mem: Input/output error"], source("x", ""), "fail", run=NOISE.format("rotated") + "; cat /proc/self/mem; " + NOISE.format("compressed")),
    held("held2-git-reject", "git push origin main", ["! [rejected]", "failed to push some refs"], source("x", ""), "fail", run="(git init -q --bare far.git; git init -q a; cd a; git config user.email a@b; git config user.name a; git commit -q --allow-empty -m one; git push -q ../far.git HEAD:main; git commit -q --amend --allow-empty -m two) >/dev/null 2>&1; " + NOISE.format("hooked") + "; cd a && git push ../far.git HEAD:main; " + NOISE.format("unhooked")),
    held("held2-go-deadlock", "go run .", ["all goroutines are asleep - deadlock!", "main.go:8"], after({"go.mod": "module lock\n\ngo 1.19\n", "main.go": "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfor n := 0; n < 3000; n++ { fmt.Println(\"queued\", n) }\n\tgate := make(chan int)\n\t<-gate\n}\n"}), "fail", run="go run ."),
    held("held2-python-unicode", "python3 names.py", ["UnicodeDecodeError", "can't decode byte 0xff", "line 5, in read_names"], source("names.py", "for n in range(1500):\n    print('sorted name', n)\n\ndef read_names():\n    return b'\\xff\\xfe'.decode('utf-8')\n\ntry:\n    read_names()\nexcept UnicodeDecodeError:\n    import sys, traceback\n    traceback.print_exc(file=sys.stdout)\nfor n in range(1500):\n    print('printed name', n)\n"), "fail"),
    held("held2-node-assert", "node check.mjs", ["Expected values to be strictly deep-equal", "check.mjs:3", "docks: 7"], source("check.mjs", "import assert from 'node:assert';\nfor (let n = 0; n < 3000; n += 1) console.log('moored boat', n);\nassert.deepStrictEqual({ docks: 7 }, { docks: 8 });\n"), "fail"),
    held("held2-c-assert", "./scale", ["scale.c:5", "Assertion `weight > 0' failed", "Aborted"], source("scale.c", "#include <assert.h>\n#include <stdio.h>\nint main(void) {\n  for (int weight = 2500; ; weight--) {\n    assert(weight > 0);\n    printf(\"weighed sack %d\\n\", weight); fflush(stdout);\n  }\n}\n"), "fail", run="gcc -o scale scale.c; ./scale; " + NOISE.format("swept")),
]
