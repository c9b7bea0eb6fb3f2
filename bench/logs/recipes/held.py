"""Logs that no pattern was fitted to: the facts were written first, and the score is taken as it comes."""

from pathlib import Path

from recipe import Recipe, write
from recipes.builds import gradle
from recipes.linters import js_lint, py_lint
from recipes.programs import source

WORDS = ["opens", "closes", "moves", "keeps", "drops", "joins"]


def held(*arguments, **options) -> Recipe:
    return Recipe(*arguments, **options, set="held")


def jasmine(failing: bool):
    def prepare(directory: Path) -> None:
        files = {"package.json": '{"name": "garden"}'}
        for number in range(40):
            body = "".join(f"  it('{WORDS[n % 6]} gate {n} of garden {number}', () => {{ console.log('gate', {n}, 'checked'); expect({n}).toBe({n}); }});\n" for n in range(25))
            if failing and number == 17:
                body += "  it('waters the roses at noon', () => {\n    expect(irrigate()).toEqual('wet');\n  });\n  function irrigate() { return 'dry'; }\n"
            files[f"spec/garden{number}.spec.js"] = f"describe('garden {number}', () => {{\n{body}}});\n"
        write(directory, files)

    return prepare


def tape(directory: Path) -> None:
    body = "".join(f"test('{WORDS[n % 6]} valve {n}', (t) => {{ t.equal({n}, {n}, 'valve {n} is set'); t.end(); }});\n" for n in range(900))
    middle = "test('pressure stays below the limit', (t) => {\n  t.equal(14.2, 12, 'pressure in bar');\n  t.end();\n});\n"
    write(directory, {"valves.cjs": f"const test = require('tape');\n{body[:30000].rsplit(chr(10), 1)[0]}\n{middle}{body[30000:].split(chr(10), 1)[1]}"})


def ava(directory: Path) -> None:
    body = "".join(f"test('{WORDS[n % 6]} drawer {n}', (t) => {{ t.is({n}, {n}); }});\n" for n in range(900))
    write(directory, {"package.json": '{"name": "desk", "type": "module"}', "desk.test.js": f"import test from 'ava';\n{body}test('locks the cash drawer', (t) => {{\n  t.deepEqual({{ locked: false }}, {{ locked: true }});\n}});\n"})


def rspec(directory: Path) -> None:
    files = {}
    for number in range(30):
        body = "".join(f"  it '{WORDS[n % 6]} shelf {n}' do\n    expect({n}).to eq({n})\n  end\n" for n in range(40))
        if number == 11:
            body += "  it 'refuses overdue readers' do\n    expect(:granted).to eq(:refused)\n  end\n  it 'finds the catalogue' do\n    nil.fetch(:shelf)\n  end\n"
        files[f"spec/library{number}_spec.rb"] = f"RSpec.describe 'library {number}' do\n{body}end\n"
    write(directory, files)


def phpunit(directory: Path) -> None:
    files = {}
    for number in range(25):
        body = "".join(f"  public function test{WORDS[n % 6].title()}{n}() {{ $this->assertSame({n}, {n}); }}\n" for n in range(40))
        if number == 9:
            body += "  public function testFerryLeavesOnTime() {\n    $this->assertSame('10:15', '10:40', 'departure');\n  }\n"
        files[f"tests/Harbour{number}Test.php"] = f"<?php\nuse PHPUnit\\Framework\\TestCase;\nclass Harbour{number}Test extends TestCase {{\n{body}}}\n"
    write(directory, files)


def bats(directory: Path) -> None:
    body = "".join(f'@test "{WORDS[n % 6]} sluice {n}" {{\n  true\n}}\n' for n in range(700))
    write(directory, {"sluice.bats": body + '@test "lowers the water level" {\n  run echo "level 9"\n  [ "$output" = "level 4" ]\n}\n' + body.replace("sluice", "lock")})


def gtest(directory: Path) -> None:
    body = "".join(f"TEST(Crane{n % 20}, {WORDS[n % 6].title()}{n}) {{ EXPECT_EQ({n}, {n}); }}\n" for n in range(800))
    middle = "TEST(Crane7, LiftsHeavyContainer) {\n  int lifted = 31;\n  EXPECT_EQ(lifted, 40) << \"container MSKU-77\";\n}\n"
    write(directory, {"crane.cpp": f"#include <gtest/gtest.h>\n{middle}{body}int main(int argc, char **argv) {{ testing::InitGoogleTest(&argc, argv); return RUN_ALL_TESTS(); }}\n"})


def catch2(directory: Path) -> None:
    body = "".join(f'TEST_CASE("{WORDS[n % 6]} buoy {n}") {{ REQUIRE({n} == {n}); }}\n' for n in range(500))
    write(directory, {"buoy.cpp": f'#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n{body}TEST_CASE("signals fog") {{\n  int horns = 1;\n  REQUIRE(horns == 3);\n}}\n'})


def meson(directory: Path) -> None:
    files = {f"src/unit{n}.c": f"int unit{n}(int a) {{ int spare{n}; return a; }}\n" for n in range(160)}
    files["src/unit90.c"] = "int unit90(int a) {\n  return tide_table[a];\n}\n"
    names = ", ".join(f"'src/unit{n}.c'" for n in range(160))
    files["meson.build"] = f"project('dock', 'c', default_options: ['warning_level=3'])\nstatic_library('dock', {names})\n"
    write(directory, files)


def ansible(directory: Path) -> None:
    tasks = "".join(f"    - name: configure lamp {n} on the pier\n      command: echo lamp {n} is configured with brightness {n}\n" for n in range(60))
    write(directory, {"play.yml": f"- hosts: localhost\n  connection: local\n  gather_facts: false\n  tasks:\n{tasks}    - name: start the beacon\n      command: /opt/beacon/start --bright\n"})


RUBY = "3000.times { |n| puts \"boarded passenger #{n}\" }\n$stdout.flush\ndef seat_for(plan, row)\n  plan.fetch(row)\nend\nbegin\n  seat_for({ 'a' => 1 }, 'z9')\nrescue KeyError => e\n  $stdout.puts e.full_message(highlight: false)\nend\n3000.times { |n| puts \"cleaned seat #{n}\" }\nexit 1\n"
PHP = "<?php\nfor ($n = 0; $n < 3000; $n++) echo \"printed ticket $n\\n\";\nfunction price($route) { return $route->fare(); }\ntry { price(null); } catch (Error $e) { echo 'PHP Fatal error:  Uncaught ' . $e . \"\\n  thrown in \" . $e->getFile() . ' on line ' . $e->getLine() . \"\\n\"; }\nfor ($n = 0; $n < 3000; $n++) echo \"filed ticket $n\\n\";\nexit(255);\n"
PERL = "for my $n (1..3000) { print \"weighed parcel $n\\n\" }\nsub weigh { die \"scale 4 is out of range\" }\neval { weigh() }; print $@;\nfor my $n (1..3000) { print \"stored parcel $n\\n\" }\nexit 1;\n"
PY_CHAIN = "import json\n\n\ndef parse(text):\n    return json.loads(text)\n\n\ndef read(name):\n    try:\n        return parse('{broken')\n    except ValueError as error:\n        raise RuntimeError(f'manifest {name} is unreadable') from error\n\n\nfor n in range(1500):\n    print('packed crate', n)\ntry:\n    read('crate-88.json')\nexcept RuntimeError:\n    import sys, traceback\n    traceback.print_exc(file=sys.stdout)\nfor n in range(1500):\n    print('sealed crate', n)\n"

HELD = [
    held("held-jasmine-fail", "npx jasmine", ["waters the roses at noon", "Expected 'dry' to equal 'wet'", "garden17.spec.js", "1001 specs, 1 failure"], jasmine(True), "fail", run="jasmine 'spec/*.spec.js'"),
    held("held-jasmine-pass", "npx jasmine", ["1000 specs, 0 failures"], jasmine(False), "pass", run="jasmine 'spec/*.spec.js'"),
    held("held-tape-fail", "node valves.cjs", ["pressure stays below the limit", "pressure in bar", "14.2", "valves.cjs:", "# fail  1"], tape, "fail"),
    held("held-ava-fail", "npx ava", ["locks the cash drawer", "desk.test.js:903", "1 test failed"], ava, "fail", run="ava --tap; ava"),
    held("held-rspec-fail", "rspec -fd", ["refuses overdue readers", "expected: :refused", "got: :granted", "finds the catalogue", "undefined method `fetch' for nil", "1202 examples, 2 failures"], rspec, "fail", run="rspec -fd"),
    held("held-phpunit-fail", "phpunit --testdox tests", ["departure", "10:15", "10:40", "Harbour9Test.php:", "Failures: 1"], phpunit, "fail"),
    held("held-bats-fail", "bats sluice.bats", ["lowers the water level", "sluice.bats, line 21", "level 4"], bats, "fail", run="bats --tap sluice.bats"),
    held("held-gtest-fail", "./crane", ["Crane7.LiftsHeavyContainer", "crane.cpp:4", "container MSKU-77", "1 FAILED TEST"], gtest, "fail", run="g++ -o crane crane.cpp -lgtest -lpthread && ./crane"),
    held("held-catch2-fail", "./buoy", ["signals fog", "horns == 3", "1 == 3", "1 failed"], catch2, "fail", run="g++ -o buoy buoy.cpp && ./buoy -s"),
    held("held-meson-fail", "meson compile -C build", ["unit90.c:2", "tide_table"], meson, "fail", run="meson setup build > /dev/null && ninja -C build -v -k 0"),
    held("held-ansible-fail", "ansible-playbook play.yml", ["start the beacon", "/opt/beacon/start", "failed=1", "No such file or directory"], ansible, "fail", run="ansible-playbook -v play.yml"),
    held("held-gradle-test-fail", "gradle test", ["refusesNegativeAmounts", "expected:<422> but was:<200>", "61 tests completed, 1 failed", "BUILD FAILED"], gradle("test"), "fail", run="gradle --offline --no-daemon --console=plain --info test"),
    held("held-pylint", "pylint app", ["app/money.py:2:20: E0602", "exchange_rate"], py_lint, "fail", run="pylint --disable=C0116,C0115 app"),
    held("held-standard", "npx standard", ["payment.js:2", "gatewayClient", "payment.js:3"], js_lint, "fail", run="standard 'src/*.js'"),
    held("held-ruby-crash", "ruby boarding.rb", ["key not found: \"z9\"", "boarding.rb:4", "seat_for"], source("boarding.rb", RUBY), "fail"),
    held("held-php-crash", "php tickets.php", ["Call to a member function fare() on null", "tickets.php:3"], source("tickets.php", PHP), "fail"),
    held("held-perl-die", "perl parcels.pl", ["scale 4 is out of range at parcels.pl line 2"], source("parcels.pl", PERL), "fail"),
    held("held-python-chain", "python3 crates.py", ["manifest crate-88.json is unreadable", "JSONDecodeError", "line 12, in read"], source("crates.py", PY_CHAIN), "fail"),
]
