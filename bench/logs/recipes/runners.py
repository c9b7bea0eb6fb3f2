"""Test runners, with everything passing and with something failing."""

from pathlib import Path

from recipe import Recipe, write

NAMES = ["parses", "renders", "stores", "loads", "routes", "merges", "splits", "counts", "sorts", "caches"]


def js_suite(kind: str, files: int, tests: int, failing: bool, extension: str = "test.mjs") -> dict[str, str]:
    """Files of tests for one of the JavaScript runners; in the middle one file fails in two ways."""
    head = {
        "vitest": "import { describe, expect, test } from 'vitest';\n",
        "jest": "",
        "mocha": "const assert = require('node:assert');\nconst test = it;\n",
        "node": "import { describe, test } from 'node:test';\nimport assert from 'node:assert';\n",
    }[kind]
    equal = (lambda a, b: f"expect({a}).toBe({b})") if kind in ("vitest", "jest") else (lambda a, b: f"assert.strictEqual({a}, {b})")
    out = {}
    for number in range(files):
        body = "".join(f"  test('{NAMES[n % 10]} record {n} of batch {number}', () => {{ {equal(n, n)}; }});\n" for n in range(tests))
        if failing and number == files // 2:
            body += f"  test('rejects expired session tokens', () => {{\n    const status = 200;\n    {equal('status', 401)};\n  }});\n"
            body += "  test('reads the tenant name', () => {\n    const config = undefined;\n    return config.tenantName;\n  });\n"
        out[f"test/batch{number}.{extension}"] = f"{head}describe('batch {number}', () => {{\n{body}}});\n"
    return out


def js(kind: str, files: int, tests: int, failing: bool, extension: str = "test.mjs", more: dict[str, str] | None = None):
    def prepare(directory: Path) -> None:
        write(directory, {"package.json": '{"name": "shop", "version": "1.0.0", "scripts": {"test": "%s"}}' % kind, **js_suite(kind, files, tests, failing, extension), **(more or {})})

    return prepare


def py(files: int, tests: int, failing: bool, style: str):
    def prepare(directory: Path) -> None:
        out = {}
        for number in range(files):
            body = "".join(f"    def test_{NAMES[n % 10]}_{n}(self):\n        assert {n} == {n}\n\n" for n in range(tests))
            if failing and number == files // 2:
                body += "    def test_discount_is_capped(self):\n        price, cap = 130, 100\n        assert price <= cap, 'discount above cap'\n\n"
                body += "    def test_currency_lookup(self):\n        rates = {'EUR': 1}\n        return rates['XAU']\n\n"
            base = "unittest.TestCase" if style == "unittest" else "object"
            out[f"tests/test_batch{number}.py"] = f"import unittest\n\n\nclass TestBatch{number}({base}):\n{body}"
        out["tests/__init__.py"] = ""
        write(directory, out)

    return prepare


def pytest_collection(directory: Path) -> None:
    py(40, 30, False, "pytest")(directory)
    write(directory, {"tests/test_storage.py": "import blobstore_client\n\n\ndef test_it():\n    pass\n", "tests/test_syntax.py": "def test_a(:\n    pass\n"})


def cargo_tests(failing: bool):
    def prepare(directory: Path) -> None:
        body = "".join(f"    #[test] fn {NAMES[n % 10]}_{n}() {{ assert_eq!({n}, {n}); }}\n" for n in range(1500))
        if failing:
            body += '    #[test] fn interest_is_rounded_down() {\n        assert_eq!(rounded(), 41, "rounding mode");\n    }\n    #[test] fn ledger_is_locked() { let v: Vec<i32> = vec![]; let i = v.len() + 7; println!("{}", v[i]); }\n    fn rounded() -> i32 { 42 }\n'
        write(directory, {"Cargo.toml": '[package]\nname = "ledger"\nversion = "0.1.0"\nedition = "2021"\n', "src/lib.rs": f"#[cfg(test)]\nmod tests {{\n{body}}}\n"})

    return prepare


def go_tests(failing: bool):
    def prepare(directory: Path) -> None:
        files = {"go.mod": "module shop\n\ngo 1.19\n"}
        for number in range(25):
            body = "".join(f'func Test{NAMES[n % 10].title()}{n}(t *testing.T) {{ t.Log("checked {n}") }}\n' for n in range(40))
            if failing and number == 12:
                body += 'func TestCheckoutRejectsEmptyCart(t *testing.T) {\n\tgot := 200\n\tif got != 422 {\n\t\tt.Errorf("status = %d, want 422", got)\n\t}\n}\n'
                body += 'func TestRefundTwice(t *testing.T) {\n\tt.Run("same order", func(t *testing.T) { t.Fatal("refund accepted twice") })\n}\n'
            files[f"pkg{number}/pkg_test.go"] = f'package pkg{number}\n\nimport "testing"\n\n{body}'
        write(directory, files)

    return prepare


def perl_tests(failing: bool):
    def prepare(directory: Path) -> None:
        files = {}
        for number in range(30):
            body = "".join(f'ok(1, "{NAMES[n % 10]} entry {n}");\n' for n in range(50))
            if failing and number == 14:
                body += 'is(lookup("host"), "db.example", "resolves the database host");\nsub lookup { return "localhost" }\n'
            files[f"t/{number:02}-batch.t"] = f"use strict;\nuse warnings;\nuse Test::More;\n{body}done_testing();\n"
        write(directory, files)

    return prepare


def ctest(failing: bool):
    def prepare(directory: Path) -> None:
        lines = ["cmake_minimum_required(VERSION 3.10)", "project(shop NONE)", "enable_testing()"]
        lines += [f"add_test(NAME {NAMES[n % 10]}_{n} COMMAND true)" for n in range(600)]
        if failing:
            lines[300:300] = ["add_test(NAME checks_signature COMMAND sh -c \"echo signature mismatch for key 7; exit 3\")", "add_test(NAME crashes_hard COMMAND sh -c \"kill -SEGV $$\")"]
        write(directory, {"CMakeLists.txt": "\n".join(lines) + "\n"})

    return prepare


JEST = {"jest.config.json": '{"testMatch": ["**/*.test.js"]}'}
FAILED_JS = ["rejects expired session tokens", "reads the tenant name", "tenantName"]

RUNNERS = [
    Recipe("vitest-fail", "npx vitest run --reporter=verbose", [*FAILED_JS, "expected 200 to be 401", "test/batch30.test.mjs:25", "2 failed | 1200 passed"], js("vitest", 60, 20, True), "fail", run="vitest run --reporter=verbose"),
    Recipe("vitest-pass", "npx vitest run --reporter=verbose", ["1600 passed", "80 passed"], js("vitest", 80, 20, False), "pass", run="vitest run --reporter=verbose"),
    Recipe("jest-fail", "npx jest --verbose", [*FAILED_JS, "Expected: 401", "Received: 200", "test/batch30.test.js:24", "2 failed, 1200 passed, 1202 total"], js("jest", 60, 20, True, "test.js", JEST), "fail", run="jest --verbose"),
    Recipe("jest-pass", "npm test -- --verbose", ["1600 passed, 1600 total"], js("jest", 80, 20, False, "test.js", JEST), "pass", run="jest --verbose"),
    Recipe("mocha-fail", "npx mocha test", [*FAILED_JS, "200 !== 401", "2 failing", "1800 passing", "test/batch30.test.cjs:"], js("mocha", 60, 30, True, "test.cjs"), "fail", run="mocha 'test/*.test.cjs'"),
    Recipe("mocha-pass", "npx mocha test", ["2400 passing"], js("mocha", 80, 30, False, "test.cjs"), "pass", run="mocha 'test/*.test.cjs'"),
    Recipe("node-test-fail", "node --test test/", [*FAILED_JS, "200 !== 401", "batch15.test.mjs:", "fail 2", "pass 750"], js("node", 30, 25, True), "fail", run="node --test --test-reporter=spec test/"),
    Recipe("node-tap-fail", "node --test test/", [*FAILED_JS, "401", "batch15.test.mjs:", "# fail 2"], js("node", 30, 25, True), "fail", run="node --test --test-reporter=tap test/"),
    Recipe("node-test-pass", "node --test test/", ["pass 750", "fail 0"], js("node", 30, 25, False), "pass", run="node --test --test-reporter=spec test/"),
    Recipe("pytest-fail", "pytest -v", ["test_discount_is_capped", "discount above cap", "test_currency_lookup", "KeyError: 'XAU'", "tests/test_batch20.py", "2 failed, 1200 passed"], py(40, 30, True, "pytest"), "fail", run="python3 -m pytest -v -p no:cacheprovider"),
    Recipe("pytest-pass", "python3 -m pytest -v", ["2000 passed"], py(50, 40, False, "pytest"), "pass", run="python3 -m pytest -v -p no:cacheprovider"),
    Recipe("pytest-collection", "pytest -v", ["blobstore_client", "ModuleNotFoundError", "SyntaxError", "test_syntax.py", "2 errors"], pytest_collection, "fail", run="python3 -m pytest -v -p no:cacheprovider"),
    Recipe("unittest-fail", "python3 -m unittest -v", ["test_discount_is_capped", "discount above cap", "KeyError: 'XAU'", "test_batch20.py", "FAILED (failures=1, errors=1)", "Ran 1202 tests"], py(40, 30, True, "unittest"), "fail"),
    Recipe("unittest-pass", "python3 -m unittest -v", ["Ran 1200 tests", "OK"], py(40, 30, False, "unittest"), "pass"),
    Recipe("cargo-test-fail", "cargo test", ["interest_is_rounded_down", "rounding mode", "left: 42", "right: 41", "ledger_is_locked", "index out of bounds", "1500 passed; 2 failed"], cargo_tests(True), "fail"),
    Recipe("cargo-test-pass", "cargo test", ["1500 passed; 0 failed"], cargo_tests(False), "pass"),
    Recipe("go-test-fail", "go test -v ./...", ["TestCheckoutRejectsEmptyCart", "status = 200, want 422", "TestRefundTwice/same_order", "refund accepted twice", "shop/pkg12"], go_tests(True), "fail"),
    Recipe("go-test-pass", "go test -v ./...", ["shop/pkg24", "PASS"], go_tests(False), "pass"),
    Recipe("prove-fail", "prove -v t/", ["resolves the database host", "got: 'localhost'", "expected: 'db.example'", "t/14-batch.t", "Result: FAIL"], perl_tests(True), "fail"),
    Recipe("prove-pass", "prove -v t/", ["All tests successful", "Files=30, Tests=1500"], perl_tests(False), "pass"),
    Recipe("ctest-fail", "ctest --output-on-failure", ["checks_signature", "signature mismatch for key 7", "crashes_hard", "2 tests failed out of 602"], ctest(True), "fail", run="cmake -S . -B . > /dev/null; ctest --output-on-failure"),
    Recipe("ctest-pass", "ctest", ["100% tests passed", "out of 600"], ctest(False), "pass", run="cmake -S . -B . > /dev/null; ctest"),
]
