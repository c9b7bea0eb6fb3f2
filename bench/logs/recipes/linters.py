"""Linters and formatters."""

from pathlib import Path

from recipe import Recipe, write


def js_lint(directory: Path) -> None:
    files = {"eslint.config.js": "module.exports = [{ rules: { 'no-unused-vars': 'warn', 'no-undef': 'error', 'eqeqeq': 'error', 'no-dupe-keys': 'error' } }];\n", "package.json": '{"name": "shop"}'}
    for number in range(250):
        files[f"src/view{number}.js"] = f"const spare{number} = 1;\nconst other{number} = 2;\nfunction draw{number}(a, b) {{ return a; }}\n"
    files["src/payment.js"] = "function pay(order) {\n  if (order.total == 0) return gatewayClient.skip();\n  return { id: 1, id: 2 };\n}\n"
    write(directory, files)


def py_lint(directory: Path) -> None:
    files = {}
    for number in range(120):
        files[f"app/part{number}.py"] = f"import os\nimport sys\n\n\ndef work{number}(a,b):\n    unused = {number}\n    return a+b\n"
    files["app/money.py"] = "def convert(amount: int) -> str:\n    return amount * exchange_rate\n\n\ndef label() -> int:\n    return 'EUR'\n"
    files["app/__init__.py"] = ""
    write(directory, files)


def shell_lint(directory: Path) -> None:
    files = {}
    for number in range(90):
        files[f"bin/task{number}.sh"] = f"#!/bin/sh\nfor f in $(ls *.txt); do\n  echo $f $UNSET_{number}\ndone\n"
    files["bin/deploy.sh"] = "#!/bin/bash\nif [ $target = prod ]; then\n  echo deploying\n"
    write(directory, files)


def css(directory: Path) -> None:
    files = {".stylelintrc.json": '{"rules": {"color-no-invalid-hex": true, "block-no-empty": true, "property-no-unknown": true}}'}
    for number in range(150):
        files[f"css/part{number}.css"] = f".a{number} {{}}\n.b{number} {{ colr: red; }}\n"
    files["css/brand.css"] = ".brand { color: #ggg; }\n"
    write(directory, files)


def unformatted(directory: Path) -> None:
    write(directory, {f"src/with-a-rather-long-directory-name/module-number-{n}.js": "const a = {b:1}\n" for n in range(400)})


LINTERS = [
    Recipe("eslint-fail", "npx eslint src", ["payment.js", "gatewayClient", "no-undef", "Duplicate key", "eqeqeq", "problems ("], js_lint, "fail", run="eslint src"),
    Recipe("biome-fail", "npx biome lint src", ["payment.js:3", "noDuplicateObjectKeys", "Found "], js_lint, "fail", run="biome lint --max-diagnostics=none src"),
    Recipe("oxlint-fail", "npx oxlint src", ["payment.js:3", "no-dupe-keys", "Found "], js_lint, "fail", run="oxlint -D eqeqeq src"),
    Recipe("flake8-fail", "flake8 app", ["app/money.py:2:21: F821 undefined name 'exchange_rate'"], py_lint, "fail"),
    Recipe("mypy-fail", "mypy --strict app", ["app/money.py:2: error", "exchange_rate", "app/money.py:6: error", "Found "], py_lint, "fail"),
    Recipe("shellcheck-fail", "shellcheck bin/*.sh", ["bin/deploy.sh line 2", "SC1046", "SC1073"], shell_lint, "fail"),
    Recipe("stylelint-fail", "npx stylelint css", ["brand.css", "color-no-invalid-hex", "problems ("], css, "fail", run="stylelint 'css/*.css'"),
    Recipe("prettier-fail", "npx prettier --check src", ["module-number-0.js", "Code style issues found in 400 files"], unformatted, "fail", run="prettier --check src"),
]
