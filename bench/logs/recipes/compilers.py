"""gcc, clang, tsc, javac, rustc, go, linkers."""

from pathlib import Path

from recipe import Recipe, write


def c_project(directory: Path, compiler: str = "gcc") -> None:
    """120 files with a warning each; three of them are broken in their own way."""
    files = {}
    for number in range(120):
        body = f"static int unused_{number};\nint work_{number}(int value) {{\n  int leftover_{number} = value;\n  return value * {number};\n}}\n"
        if number == 47:
            body += "int parse_header(const char *text) {\n  return text->length;\n}\n"
        if number == 61:
            body += "int total_weight(void) {\n  return gravity_constant * 3\n}\n"
        if number == 88:
            body = '#include "missing_codec.h"\n' + body
        files[f"src/unit_{number:03}.c"] = body
    files["Makefile"] = (
        f"OBJECTS := $(patsubst src/%.c,%.o,$(wildcard src/*.c))\nall: $(OBJECTS)\n%.o: src/%.c\n\t{compiler} -Wall -Wextra -c $< -o $@\n"
    )
    write(directory, files)


def linking(directory: Path) -> None:
    files = {f"part_{n}.c": f"int shared_{n}(void);\nint part_{n}(void) {{ return shared_{n}(); }}\n" for n in range(150)}
    files["main.c"] = "int compute_checksum(int);\nint main(void) { return compute_checksum(3); }\n"
    files["shared.c"] = "".join(f"int shared_{n}(void) {{ return {n}; }}\n" for n in range(150) if n != 77)
    write(directory, files)


def templates(directory: Path) -> None:
    write(directory, {"sort.cpp": "#include <algorithm>\n#include <list>\n#include <map>\n#include <string>\n#include <vector>\nstruct Opaque { int x; };\nint main() {\n  std::list<int> numbers{3, 1, 2};\n  std::sort(numbers.begin(), numbers.end());\n  std::map<Opaque, std::string> names;\n  names[Opaque{1}] = \"a\";\n}\n"})


def typescript(directory: Path) -> None:
    files = {"tsconfig.json": '{"compilerOptions": {"strict": true, "noEmit": true, "target": "es2022", "module": "esnext", "types": []}, "include": ["src"]}'}
    for number in range(300):
        files[f"src/model{number}.ts"] = f"export function load{number}(id: string) {{ return id.lenght + {number}; }}\nexport const first{number}: number = 'x';\n"
    files["src/billing.ts"] = "interface Invoice { total: number; due: Date }\nexport const invoice: Invoice = { total: 'many', due: new Date() };\nexport function charge(i: Invoice) { return i.customerName; }\n"
    write(directory, files)


def java(directory: Path) -> None:
    files = {}
    for number in range(90):
        files[f"src/app/Part{number}.java"] = f"package app;\npublic class Part{number} {{ int value() {{ return Missing{number}.get(); }} }}\n"
    files["src/app/Ledger.java"] = "package app;\npublic class Ledger {\n  String owner = 42;\n  void post() { int amount = \"ten\"; }\n}\n"
    write(directory, files)


def rust(directory: Path) -> None:
    modules = "".join(f"mod part{n};\n" for n in range(80))
    files = {"Cargo.toml": '[package]\nname = "ledger"\nversion = "0.1.0"\nedition = "2021"\n', "src/main.rs": modules + "mod accounts;\nfn main() { accounts::open(); }\n"}
    for number in range(80):
        files[f"src/part{number}.rs"] = f"pub fn unused_helper_{number}(left: u32) -> u32 {{ let spare = left; let extra_{number} = 3; left }}\n"
    files["src/accounts.rs"] = 'pub fn open() -> u32 {\n    let balance: u32 = "empty";\n    let owner = String::from("a");\n    let moved = owner;\n    println!("{}", owner);\n    balance\n}\n'
    write(directory, files)


def go(directory: Path) -> None:
    files = {"go.mod": "module shop\n\ngo 1.19\n"}
    for number in range(60):
        files[f"part{number}/part.go"] = f"package part{number}\n\nfunc Work() int {{\n\tvar unused int\n\treturn missing{number}\n}}\n"
    files["cart/cart.go"] = 'package cart\n\nimport "fmt"\n\nfunc Total(prices []int) string {\n\treturn len(prices)\n}\n'
    write(directory, files)


COMPILERS = [
    Recipe("gcc-fail", "make -k", ["unit_047.c:7:14", "request for member", "unit_061.c", "gravity_constant", "unit_088.c:1:10", "missing_codec.h"], c_project, "fail"),
    Recipe("clang-fail", "make -k", ["unit_047.c:7:", "unit_061.c:7:", "gravity_constant", "unit_088.c:1:10: fatal error: 'missing_codec.h' file not found"], lambda d: c_project(d, "clang"), "fail"),
    Recipe("link-fail", "gcc *.c -o app", ["compute_checksum", "shared_77", "ld returned 1 exit status"], linking, "fail", run="gcc -v *.c -o app"),
    Recipe("g++-templates", "g++ sort.cpp", ["sort.cpp:9", "no match for", "operator-", "operator<"], templates, "fail"),
    Recipe("clang++-templates", "clang++ sort.cpp", ["sort.cpp:9", "invalid operands to binary expression", "errors generated"], templates, "fail"),
    Recipe("tsc-fail", "npx tsc -p .", ["src/billing.ts(2,", "TS2322", "src/billing.ts(3,", "customerName"], typescript, "fail", run="tsc -p ."),
    Recipe("tsc-pretty", "npx tsc -p . --pretty", ["src/billing.ts:2:", "customerName", "Found 602 errors in 301 files"], typescript, "fail", run="tsc -p . --pretty"),
    Recipe("javac-fail", "javac -d out src/app/*.java", ["Ledger.java:3: error: incompatible types: int cannot be converted to String", "Ledger.java:4", "92 errors"], java, "fail"),
    Recipe("cargo-build-fail", "cargo build", ["E0308", "src/accounts.rs:2:24", "could not compile `ledger`"], rust, "fail"),
    Recipe("go-build-fail", "go build ./...", ["cart/cart.go:6:9", "cart/cart.go:3:8", "part59", "missing0"], go, "fail"),
    Recipe("go-vet-fail", "go vet ./...", ["cart/cart.go:6:9", "missing0"], go, "fail"),
]
