"""Samples in the documented formats of tools that cannot be run here. Not real logs, and marked as such."""

from pathlib import Path

from recipe import Recipe, write


def hand(id: str, command: str, facts: list[str], lines: list[str], outcome: str = "fail") -> Recipe:
    def prepare(directory: Path) -> None:
        (directory / "log").write_bytes("".join(lines).encode())

    return Recipe(id, command, facts, prepare, outcome, run="cat log", set="hand")


def rows(text: str, count: int, start: int = 0) -> list[str]:
    return [text.replace("{n}", str(n)) + "\n" for n in range(start, start + count)]


BUILDKIT = [
    "#0 building with \"default\" instance using docker driver\n",
    "#1 [internal] load build definition from Dockerfile\n#1 transferring dockerfile: 812B done\n#1 DONE 0.0s\n",
    *rows("#5 sha256:4f4fb700ef54461cfa02571ae0db9a0dc1e0cdb5577484a6d75e68dc38e8acc1 {n}.1MB / 900.0MB 3.{n}s", 400),
    "#5 DONE 41.2s\n#9 [4/7] RUN pip install -r requirements.txt\n",
    *rows("#9 {n}.311 Collecting package-{n}==1.{n}", 300),
    "#9 41.20 ERROR: Could not build wheels for cryptolib, which is required to install pyproject.toml-based projects\n",
    "#9 ERROR: process \"/bin/sh -c pip install -r requirements.txt\" did not complete successfully: exit code: 1\n",
    "------\n > [4/7] RUN pip install -r requirements.txt:\n",
    *rows("{n}.311   building extension part {n}", 200),
    "------\nDockerfile:14\n--------------------\n  12 |     WORKDIR /app\n  13 |     COPY requirements.txt .\n  14 | >>> RUN pip install -r requirements.txt\n--------------------\n",
    "ERROR: failed to solve: process \"/bin/sh -c pip install -r requirements.txt\" did not complete successfully: exit code: 1\n",
]
PULL = [
    "Using default tag: latest\nlatest: Pulling from library/shop\n",
    *(f"{n:012x}: Pulling fs layer\n" for n in range(12)),
    *(
        f"\x1b[{12 - layer}A\x1b[2K\r{layer:012x}: Downloading [{'=' * (step % 40)}>] {step}.1MB/90MB\x1b[{12 - layer}B\r"
        for step in range(80)
        for layer in range(12)
    ),
    *(f"\x1b[{12 - layer}A\x1b[2K\r{layer:012x}: Pull complete\x1b[{12 - layer}B\r" for layer in range(12)),
    "Digest: sha256:77af4d6b9913e693e8d0b4b294fa62ade6054e6b2f1ffb617ac955dd63fb0182\nStatus: Downloaded newer image for shop:latest\n",
]
FRAMES = [
    "npm install\n",
    *(
        ("\x1b[3A" if frame else "")
        + f"\x1b[2K⠋ resolving {frame * 7} packages of the tree\n\x1b[2K⠙ fetched {frame * 5} tarballs\n\x1b[2K  {'#' * (frame % 60)}\n"
        for frame in range(900)
    ),
    "npm warn deprecated glob@7.2.3: Glob versions prior to v9 are no longer supported\n",
    "added 941 packages in 12s\n3 vulnerabilities (1 moderate, 2 high)\n",
]
DESCRIBE = [
    "Name:             payments-7d4b9\nNamespace:        prod\nStatus:           Running\n",
    *rows("  VAR_{n}:  value of the variable number {n} that came from a config map", 400),
    "    State:          Waiting\n      Reason:       CrashLoopBackOff\n    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n",
    *rows("  volume-{n}:  (a volume populated by a Secret of the cluster)", 300),
    "Events:\n  Type     Reason     Age   From     Message\n  Warning  BackOff    2m    kubelet  Back-off restarting failed container payments in pod payments-7d4b9\n  Warning  Unhealthy  3m    kubelet  Readiness probe failed: Get \"http://registry.example/ready\": dial tcp: connect: connection refused\n",
    *rows("  tolerations-{n}: node.kubernetes.io/not-ready:NoExecute op=Exists for {n}s", 300),
]
TERRAFORM = [
    *rows("module.network[{n}].aws_subnet.this: Refreshing state... [id=subnet-0{n}]", 500),
    "╷\n│ Error: creating RDS DB Instance (ledger-db): InvalidParameterCombination: Cannot find version 11.4 for postgres\n│ \n│   with aws_db_instance.ledger,\n│   on db.tf line 27, in resource \"aws_db_instance\" \"ledger\":\n│   27: resource \"aws_db_instance\" \"ledger\" {\n│ \n╵\n",
    *rows("module.cache[{n}].aws_elasticache_cluster.this: Still creating... [{n}s elapsed]", 500),
]
BERRY = [
    "➤ YN0000: ┌ Resolution step\n",
    *rows("➤ YN0002: │ shop@workspace:packages/part-{n} doesn't provide react (p{n}), requested by ui-kit", 60),
    "➤ YN0000: └ Completed\n➤ YN0000: ┌ Fetch step\n",
    *rows("➤ YN0013: │ package-{n}@npm:1.{n}.0 can't be found in the cache and will be fetched from the remote registry", 800),
    "➤ YN0001: │ RequestError: getaddrinfo EAI_AGAIN cdn.example for ledger-codec@npm:2.1.0\n➤ YN0000: └ Completed in 4s 12ms\n➤ YN0000: Failed with errors in 9s 400ms\n",
]
DOTNET = [
    *rows("  Passed Shop.Tests.Cart.Adds_{n} [{n} ms]", 900),
    "  Failed Shop.Tests.Billing.RoundsHalfEven [12 ms]\n  Error Message:\n   Assert.Equal() Failure: Values differ\nExpected: 2.5\nActual:   3\n  Stack Trace:\n     at Shop.Tests.Billing.RoundsHalfEven() in /src/tests/BillingTests.cs:line 41\n",
    *rows("  Passed Shop.Tests.Search.Finds_{n} [{n} ms]", 900),
    "\nFailed!  - Failed:     1, Passed:  1800, Skipped:     0, Total:  1801, Duration: 4 s - Shop.Tests.dll (net8.0)\n",
]
PLAYWRIGHT = [
    "\nRunning 901 tests using 4 workers\n\n",
    *rows("  ✓  {n} [chromium] › cart.spec.ts:{n}:5 › cart › adds item {n} (1.2s)", 900, 1),
    "  ✘  901 [chromium] › login.spec.ts:18:5 › login › keeps the session (30.1s)\n\n\n  1) [chromium] › login.spec.ts:18:5 › login › keeps the session ─────────\n\n    Test timeout of 30000ms exceeded.\n\n    Error: locator.click: Test timeout of 30000ms exceeded.\n    Call log:\n      - waiting for getByRole('button', { name: 'Sign in' })\n\n      20 |   await page.goto('/login');\n    > 21 |   await page.getByRole('button', { name: 'Sign in' }).click();\n         |                                                       ^\n        at /code/tests/login.spec.ts:21:55\n\n  1 failed\n    [chromium] › login.spec.ts:18:5 › login › keeps the session ─────────\n  900 passed (3.1m)\n",
]
KERNEL = [
    *rows("[ {n}.000123] systemd[1]: Started session {n} of user deploy.", 900),
    "[ 7731.112233] node invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n",
    *rows("[ 7731.2{n}] [ {n} ] 1000 {n} 123456 7890 1234567 0 0 worker-{n}", 300),
    "[ 7731.998877] Out of memory: Killed process 4411 (node) total-vm:9120044kB, anon-rss:8011220kB\n",
    *rows("[ 78{n}.000123] systemd[1]: Started session {n} of user deploy.", 900),
]
SQL = [
    *rows("INSERT 0 1  -- row {n} of the customers table was written to the new schema", 1200),
    "psql:migrate.sql:1207: ERROR:  column \"tenant_id\" of relation \"invoices\" does not exist\nLINE 1: UPDATE invoices SET tenant_id = 4;\n                            ^\n",
    *rows("INSERT 0 1  -- row {n} of the orders table was written to the new schema", 1200),
]
KUBE_LOGS = [
    *rows('{"level":"info","ts":"2024-05-01T10:00:0{n}Z","msg":"handled request","path":"/items/{n}","error":null}', 900),
    '{"level":"error","ts":"2024-05-01T10:15:00Z","msg":"publish failed","topic":"invoices","error":"broker 3 not available: EOF"}\n',
    *rows('{"level":"info","ts":"2024-05-01T10:20:0{n}Z","msg":"handled request","path":"/items/{n}","error":null}', 900),
]

HAND = [
    hand("hand-docker-build", "docker build .", ["Could not build wheels for cryptolib", "Dockerfile:14", ">>> RUN pip install -r requirements.txt", "exit code: 1"], BUILDKIT),
    hand("hand-docker-pull", "docker pull shop", ["Downloaded newer image for shop:latest", "sha256:77af4d6b"], PULL, "install"),
    hand("hand-npm-frames", "npm install", ["added 941 packages", "glob@7.2.3", "3 vulnerabilities (1 moderate, 2 high)"], FRAMES, "install"),
    hand("hand-kubectl-describe", "kubectl describe pod payments-7d4b9", ["CrashLoopBackOff", "OOMKilled", "Back-off restarting failed container payments", "connection refused"], DESCRIBE),
    hand("hand-kubectl-logs", "kubectl logs payments-7d4b9", ["publish failed", "broker 3 not available: EOF"], KUBE_LOGS),
    hand("hand-terraform", "terraform apply", ["InvalidParameterCombination: Cannot find version 11.4 for postgres", "db.tf line 27"], TERRAFORM),
    hand("hand-yarn-berry", "yarn install", ["RequestError: getaddrinfo EAI_AGAIN cdn.example for ledger-codec@npm:2.1.0", "Failed with errors"], BERRY),
    hand("hand-dotnet-test", "dotnet test", ["RoundsHalfEven", "Expected: 2.5", "Actual:   3", "BillingTests.cs:line 41", "Failed:     1, Passed:  1800"], DOTNET),
    hand("hand-playwright", "npx playwright test", ["login › keeps the session", "Test timeout of 30000ms exceeded", "login.spec.ts:21:55", "1 failed", "900 passed"], PLAYWRIGHT),
    hand("hand-dmesg", "dmesg", ["Out of memory: Killed process 4411 (node)", "node invoked oom-killer"], KERNEL),
    hand("hand-psql", "psql -f migrate.sql", ["column \"tenant_id\" of relation \"invoices\" does not exist", "psql:migrate.sql:1207", "LINE 1: UPDATE invoices"], SQL),
]
