"""Build tools and bundlers."""

from pathlib import Path

from recipe import Recipe, write
from recipes.compilers import c_project


def cmake(failing: bool, generator: str):
    def prepare(directory: Path) -> None:
        files = {f"src/unit{n}.c": f"int unit{n}(int a) {{ int unused{n}; return a + {n}; }}\n" for n in range(250)}
        if failing:
            files["src/unit120.c"] = "int unit120(int a) {\n  return frobnicate_all(a;\n}\n"
        files["CMakeLists.txt"] = "cmake_minimum_required(VERSION 3.10)\nproject(shop C)\nset(CMAKE_C_FLAGS -Wall)\nfile(GLOB SOURCES src/*.c)\nadd_library(shop STATIC ${SOURCES})\n"
        write(directory, files)

    return prepare


def configure_fails(directory: Path) -> None:
    checks = "\n".join(f"check_function_exists(probe_{n} HAVE_{n})" for n in range(40))
    notes = "\n".join(f'message(STATUS "Looking at optional component {n} of the tree: not enabled")' for n in range(500))
    write(directory, {"CMakeLists.txt": f"cmake_minimum_required(VERSION 3.10)\nproject(shop C)\ninclude(CheckFunctionExists)\n{checks}\n{notes}\nfind_package(QuantumSolver 3.2 REQUIRED)\n"})


def make_pass(directory: Path) -> None:
    c_project(directory)
    for number, text in ((47, "int a;\n"), (61, "int b;\n"), (88, "int c;\n")):
        write(directory, {f"src/unit_{number:03}.c": text})


def modules(bad: str | None, count: int = 600):
    def prepare(directory: Path) -> None:
        files = {f"src/part{n}.js": f"export const value{n} = {n};\n" for n in range(count)}
        files["src/index.js"] = "".join(f"import {{ value{n} }} from './part{n}.js';\nconsole.log(value{n});\n" for n in range(count))
        if bad == "import":
            files["src/part77.js"] = "import { tax } from './tax-table.js';\nexport const value77 = tax;\n"
        if bad == "syntax":
            files["src/part77.js"] = "export const value77 = {\n  rate: 3,,\n};\n"
        files["index.html"] = '<script type="module" src="/src/index.js"></script>\n'
        files["webpack.config.js"] = "module.exports = { mode: 'development', entry: './src/index.js', stats: { preset: 'verbose', colors: false } };\n"
        files["package.json"] = '{"name": "shop", "version": "1.0.0"}'
        write(directory, files)

    return prepare


def gradle(kind: str):
    def prepare(directory: Path) -> None:
        files = {f"src/main/java/shop/Part{n}.java": f"package shop;\npublic class Part{n} {{ @Deprecated public int old() {{ return {n}; }} public java.util.List raw() {{ return new java.util.ArrayList(); }} }}\n" for n in range(40)}
        if kind == "compile":
            files["src/main/java/shop/Invoice.java"] = "package shop;\npublic class Invoice {\n  int total() { return taxFor(3); }\n}\n"
        tests = "".join(f"  @Test public void {word}{n}() {{ assertEquals({n}, {n}); }}\n" for n in range(30) for word in ("parses", "stores"))
        if kind == "test":
            tests += "  @Test public void refusesNegativeAmounts() {\n    assertEquals(422, 200);\n  }\n"
        files["src/test/java/shop/InvoiceTest.java"] = f"package shop;\nimport org.junit.Test;\nimport static org.junit.Assert.*;\npublic class InvoiceTest {{\n{tests}}}\n"
        files["build.gradle"] = "apply plugin: 'java'\ndependencies { testCompile files('/usr/share/java/junit4.jar', '/usr/share/java/hamcrest-core.jar') }\ntest { testLogging { events 'passed', 'failed'; exceptionFormat 'full' } }\ncompileJava.options.compilerArgs += ['-Xlint:all']\n"
        write(directory, files)

    return prepare


def maven(kind: str):
    def prepare(directory: Path) -> None:
        gradle(kind)(directory)
        write(directory, {"pom.xml": """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>shop</groupId><artifactId>shop</artifactId><version>1.0</version>
<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version><scope>test</scope></dependency></dependencies></project>
"""})

    return prepare


MAVEN = "env -i PATH=/usr/bin:/bin HOME=/home/dev mvn -B -o -X -Dmaven.repo.local=/usr/share/maven-repo"
NINJA = "cmake -G Ninja -S . -B build > /dev/null; cmake --build build -v"
BUILDS = [
    Recipe("make-pass", "make", ["unused_7", "unit_119.c"], make_pass, "other", run="make"),
    Recipe("cmake-make-fail", "cmake --build build -v", ["unit120.c:2", "frobnicate_all", "Error"], cmake(True, "make"), "fail", run="cmake -S . -B build > /dev/null; cmake --build build -v -- -k"),
    Recipe("cmake-make-pass", "cmake --build build", ["Built target shop"], cmake(False, "make"), "other", run="cmake -S . -B build > /dev/null; cmake --build build -v"),
    Recipe("ninja-fail", "cmake --build build -v", ["FAILED: CMakeFiles/shop.dir/src/unit120.c.o", "unit120.c:2", "frobnicate_all", "ninja: build stopped: cannot make progress due to previous errors"], cmake(True, "ninja"), "fail", run=NINJA + " -- -k 0"),
    Recipe("ninja-pass", "ninja -C build", ["libshop.a"], cmake(False, "ninja"), "other", run=NINJA),
    Recipe("cmake-configure-fail", "cmake -S . -B build", ["QuantumSolver", "CMakeLists.txt:544", "Configuring incomplete, errors occurred!"], configure_fails, "fail"),
    Recipe("webpack-fail", "npx webpack", ["./src/part77.js", "Can't resolve './tax-table.js'", "compiled with 1 error"], modules("import"), "fail", run="webpack"),
    Recipe("webpack-pass", "npx webpack", ["compiled successfully", "main.js"], modules(None), "other", run="webpack"),
    Recipe("vite-fail", "npx vite build", ["tax-table.js", "src/part77.js"], modules("import"), "fail", run="vite build --debug 2>&1"),
    Recipe("rollup-syntax", "npx rollup src/index.js", ["part77.js", "(2:10)"], modules("syntax"), "fail", run="rollup src/index.js -d out; for i in $(seq 400); do echo \"chunk $i written to out/chunk-$i.js in 3ms\"; done"),
    Recipe("esbuild-fail", "npx esbuild --bundle src/index.js", ["src/part77.js:2:10"], modules("syntax"), "fail", run="esbuild --bundle src/index.js --log-level=verbose --outfile=out.js"),
    Recipe("gradle-compile-fail", "gradle build", ["Invoice.java:3: error: cannot find symbol", "taxFor", "compileJava FAILED", "BUILD FAILED"], gradle("compile"), "fail", run="gradle --offline --no-daemon --console=plain --info build"),
    Recipe("maven-compile-fail", "mvn -B package", ["Invoice.java:[3,24]", "taxFor", "BUILD FAILURE"], maven("compile"), "fail", run=f"{MAVEN} compile"),
    Recipe("maven-test-fail", "mvn -B test", ["refusesNegativeAmounts", "expected:<422> but was:<200>", "Tests run: 61, Failures: 1", "BUILD FAILURE"], maven("test"), "fail", run=f"{MAVEN} test"),
]
