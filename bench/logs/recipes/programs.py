"""Programs that die, services that log, git, listings."""

from pathlib import Path

from recipe import Recipe, write

SERVICE = "for i in $(seq 1 4000); do echo \"2024-05-01T10:00:00Z INFO  worker=$((i%7)) request /api/items/$i done in $((i%90))ms errors=0\"; done"


def source(name: str, text: str):
    return lambda directory: write(directory, {name: text})


def chatter(rows: int, language: str) -> str:
    line = "worker {n} handled request /api/items/{n}: status 200, 0 errors"
    return {
        "js": f"for (let n = 0; n < {rows}; n += 1) console.log(`worker ${{n % 7}} handled request /api/items/${{n}}: status 200, 0 errors`);\n",
        "py": f"for n in range({rows}):\n    print(f'worker {{n % 7}} handled request /api/items/{{n}}: status 200, 0 errors', flush=n % 100 == 0)\n",
    }[language]


JS_CRASH = chatter(1500, "js") + "function chargeCustomer(order) {\n  return order.customer.cardToken;\n}\nsetTimeout(() => chargeCustomer({ id: 7 }), 5);\nsetTimeout(() => {}, 1000);\n"
JS_REJECTED = chatter(1500, "js") + "async function sync() { throw new Error('replica lag above 30s'); }\nprocess.on('exit', () => { for (let n = 0; n < 900; n += 1) console.log('closing connection', n); });\nsync();\n"
PY_CRASH = chatter(1500, "py") + "import sys\nsys.stdout.flush()\n\n\ndef load_rates(path):\n    return open(path).read()\n\n\ntry:\n    load_rates('/nonexistent/rates.csv')\nexcept OSError as error:\n    import traceback\n    traceback.print_exc()\n    sys.stderr.flush()\n" + chatter(1500, "py") + "sys.exit(1)\n"
JAVA_CRASH = "public class Main {\n  static void charge(int amount) { if (amount > 900) throw new IllegalStateException(\"limit exceeded for account 7731\"); }\n  public static void main(String[] args) {\n    for (int n = 0; n < 1500; n++) System.out.println(\"batch \" + n + \" posted, 0 errors\");\n    System.out.flush();\n    try { charge(901); } catch (IllegalStateException e) { new RuntimeException(\"posting failed\", e).printStackTrace(System.out); }\n    for (int n = 0; n < 1500; n++) System.out.println(\"cleanup \" + n + \" done\");\n    System.exit(1);\n  }\n}\n"
GO_PANIC = "package main\n\nimport \"fmt\"\n\nfunc pick(shelf []int, at int) int { return shelf[at] }\n\nfunc main() {\n\tfor n := 0; n < 3000; n++ {\n\t\tfmt.Println(\"stocked shelf\", n, \"with 0 errors\")\n\t}\n\tfmt.Println(pick([]int{1, 2, 3}, 5))\n}\n"
RUST_PANIC = "fn pick(shelf: &[u8], at: usize) -> u8 { shelf[at] }\nfn main() {\n    for n in 0..3000 { println!(\"stocked shelf {} with 0 errors\", n); }\n    let result = std::panic::catch_unwind(|| pick(&[1, 2, 3], 5));\n    for n in 0..3000 { println!(\"cleared shelf {}\", n); }\n    std::process::exit(result.is_err() as i32);\n}\n"
CPP_ASAN = "#include <cstdio>\n#include <vector>\nint main() {\n  for (int n = 0; n < 2000; n++) std::printf(\"decoded frame %d\\n\", n);\n  std::fflush(stdout);\n  std::vector<int> frames(4);\n  int *p = frames.data();\n  return p[9];\n}\n"
C_LEAK = "#include <stdio.h>\n#include <stdlib.h>\nstatic int *make_buffer(void) { return malloc(40); }\nint main(void) {\n  for (int n = 0; n < 1500; n++) printf(\"frame %d ok\\n\", n);\n  int *b = make_buffer();\n  b[10] = 3;\n  return 0;\n}\n"
SHELL = "set -x\nfor i in $(seq 1 900); do : step $i of the deployment to host-$i; done\ncd /srv/missing-release-dir\nsource ./env.production\ndeploy_everything --now\nfor i in $(seq 1 900); do : cleanup step $i; done\nexit 1\n"
GIT = "git init -q . && git config user.email a@b && git config user.name a && for i in $(seq 1 400); do echo base > file$i.txt; done && git add file*.txt && git commit -qm base && git checkout -qb topic && for i in $(seq 1 400); do echo topic > file$i.txt; done && git commit -qam topic && git checkout -q - && echo main > file123.txt && echo main > file301.txt && git commit -qam main"
OOM = "const hoard = [];\nfor (let n = 0; ; n += 1) {\n  hoard.push(new Array(1000).fill(n));\n  if (n % 4 === 0) console.log('cached page', n, 'of the catalogue');\n}\n"

PROGRAMS = [
    Recipe("js-crash", "node app.js", ["Cannot read properties of undefined (reading 'cardToken')", "app.js:3", "chargeCustomer"], source("app.js", JS_CRASH), "fail"),
    Recipe("js-rejection", "node app.js", ["replica lag above 30s", "at sync", "app.js:2"], source("app.js", JS_REJECTED), "fail"),
    Recipe("python-crash", "python3 app.py", ["FileNotFoundError", "/nonexistent/rates.csv", "line 8, in load_rates"], source("app.py", PY_CRASH), "fail"),
    Recipe("java-crash", "java Main.java", ["posting failed", "Caused by: java.lang.IllegalStateException: limit exceeded for account 7731", "Main.java:2"], source("Main.java", JAVA_CRASH), "fail"),
    Recipe("go-panic", "go run main.go", ["index out of range [5] with length 3", "main.go:5", "main.pick", "exit status 2"], source("main.go", GO_PANIC), "fail"),
    Recipe("rust-panic", "./app", ["panicked at main.rs:1", "index out of bounds: the len is 3 but the index is 5"], source("main.rs", RUST_PANIC), "fail", run="rustc -o app main.rs 2>/dev/null; ./app"),
    Recipe("asan", "./app", ["heap-buffer-overflow", "main.cpp:8", "SUMMARY: AddressSanitizer"], source("main.cpp", CPP_ASAN), "fail", run="g++ -g -fsanitize=address -o app main.cpp && ./app"),
    Recipe("valgrind", "valgrind ./app", ["Invalid write of size 4", "main.c:7", "make_buffer", "ERROR SUMMARY: 1 errors"], source("main.c", C_LEAK), "fail", run="gcc -g -o app main.c && valgrind ./app"),
    Recipe("shell-trace", "bash deploy.sh", ["/srv/missing-release-dir: No such file or directory", "deploy_everything: command not found", "deploy.sh: line 5"], source("deploy.sh", SHELL), "fail"),
    Recipe("node-oom", "node app.js", ["heap out of memory", "FATAL ERROR"], source("app.js", OOM), "fail", run="node --max-old-space-size=40 app.js"),
    Recipe("segfault", "./app", ["Segmentation fault"], source("main.c", "#include <stdio.h>\nint main(void) { for (int n = 0; n < 2000; n++) printf(\"row %d imported\\n\", n); fflush(stdout); *(volatile int *)0 = 1; }\n"), "fail", run="gcc -o app main.c; ./app; for i in $(seq 1200); do echo \"retrying row $i\"; done"),
    Recipe("git-merge", "git merge topic", ["CONFLICT (content): Merge conflict in file123.txt", "file301.txt", "Automatic merge failed"], source("x", ""), "fail", run=f"({GIT}) >/dev/null 2>&1; git merge --verbose topic; git diff --stat HEAD topic"),
    Recipe("git-diff", "git diff", ["diff --git a/file1.txt b/file1.txt", "diff --git a/file399.txt b/file399.txt"], source("x", ""), "other", run=f"({GIT}) >/dev/null 2>&1; git diff HEAD topic"),
    Recipe("git-log", "git log", ["Fix rounding of the last invoice", "Initial import of the shop"], source("x", ""), "other", run="git init -q . && git config user.email a@b && git config user.name a && git commit -q --allow-empty -m 'Initial import of the shop' && for i in $(seq 1 500); do git commit -q --allow-empty -m \"Change $i of the pricing table and its tests\"; done; git commit -q --allow-empty -m 'Fix rounding of the last invoice'; git log"),
    Recipe("listing", "ls -laR .", ["total"], source("deep/a/b/c.txt", ""), "other", run="for d in $(seq 1 60); do mkdir -p d$d; for f in $(seq 1 30); do : > d$d/file-$f.dat; done; done; ls -laR ."),
    Recipe("service-quiet", "./serve", ["listening on port 8431", "shutdown complete"], source("x", ""), "other", run=f"echo 'listening on port 8431'; {SERVICE}; echo 'shutdown complete'"),
    Recipe("service-one-error", "./serve", ["ERROR payment provider answered 503 for order 99120"], source("x", ""), "fail", run=f"{SERVICE}; echo '2024-05-01T10:00:09Z ERROR payment provider answered 503 for order 99120'; {SERVICE}"),
    Recipe("service-flood", "./serve", ["FATAL could not bind shard 12: disk quota exceeded"], source("x", ""), "fail", run="for i in $(seq 1 3000); do echo \"2024-05-01T10:00:00Z ERROR worker=$((i%7)) retry $i: upstream error, will retry\"; done; echo '2024-05-01T10:00:09Z FATAL could not bind shard 12: disk quota exceeded'; for i in $(seq 1 3000); do echo \"2024-05-01T10:00:00Z ERROR worker=$((i%7)) retry $i: upstream error, will retry\"; done"),
    Recipe("huge-one-failure", "./import", ["row 731002 violates foreign key constraint \"orders_customer_fk\""], source("x", ""), "fail", run="seq -f 'imported row %.0f of the orders table, checksum ok, 0 errors' 1 700000; echo 'ERROR: row 731002 violates foreign key constraint \"orders_customer_fk\"'; seq -f 'imported row %.0f of the orders table, checksum ok, 0 errors' 700001 900000", big=True),
]
