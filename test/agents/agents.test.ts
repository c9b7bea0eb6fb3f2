import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FakeModel, fakeAnthropic, fakeGemini, fakeOpenAi } from './helpers/models.ts';
import { openHome, runAgent } from './helpers/run-agent.ts';

const NACRE = join(import.meta.dirname, '../../bin/nacre.cjs');
const MODULES = join(import.meta.dirname, 'node_modules');
const SERVER = { command: process.execPath, args: [NACRE, 'mcp'] };

interface Told {
  readonly model: FakeModel;
  readonly output: string;
}

/** An agent with our server and a model on loopback that sends one command. */
interface Agent {
  readonly name: string;
  /** Absent where the package could not be installed. */
  readonly file: string;
  ask(input: unknown, file: string): Promise<Told>;
}

const AGENTS: readonly Agent[] = [
  {
    name: 'Codex',
    file: join(MODULES, '@openai/codex/bin/codex.js'),
    ask: async (input, file) => {
      const model = await fakeOpenAi(input);
      const { home, project } = openHome();
      const codexHome = join(home, 'codex');
      mkdirSync(codexHome);
      writeFileSync(
        join(codexHome, 'config.toml'),
        `model = "fake"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.fake]
name = "fake"
base_url = "${model.url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"

[mcp_servers.nacre]
command = ${JSON.stringify(SERVER.command)}
args = ${JSON.stringify(SERVER.args)}
`,
      );
      const args = [file, 'exec', '--json', '--skip-git-repo-check', 'go'];
      const env = { CODEX_HOME: codexHome, FAKE_KEY: 'none' };
      const { output } = await runAgent({ file: process.execPath, args, home, cwd: project, env });
      return { model, output };
    },
  },
  {
    name: 'Gemini CLI',
    file: join(MODULES, '@google/gemini-cli/bundle/gemini.js'),
    ask: async (input, file) => {
      const model = await fakeGemini(input);
      const { home, project } = openHome();
      mkdirSync(join(home, '.gemini'));
      const settings = {
        security: { auth: { selectedType: 'gemini-api-key' } },
        mcpServers: { nacre: { ...SERVER, trust: true } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      };
      writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify(settings));
      const args = [file, '--yolo', '-o', 'json', '-m', 'gemini-2.5-flash', '-p', 'go'];
      const env = {
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
        GEMINI_API_KEY: 'none',
        GOOGLE_GEMINI_BASE_URL: model.url,
      };
      const { output } = await runAgent({ file: process.execPath, args, home, cwd: project, env });
      return { model, output };
    },
  },
  {
    name: 'Claude Code',
    file: join(MODULES, `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`),
    ask: async (input, file) => {
      const model = await fakeAnthropic(input);
      const { home, project } = openHome();
      const config = JSON.stringify({ mcpServers: { nacre: SERVER } });
      const args = [
        '-p',
        'go',
        '--mcp-config',
        config,
        '--strict-mcp-config',
        '--allowedTools',
        'mcp__nacre__bash,mcp__nacre__job',
        '--output-format',
        'json',
      ];
      const env = {
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: 'sk-none',
        ENABLE_TOOL_SEARCH: 'false',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_TELEMETRY: '1',
        DISABLE_AUTOUPDATER: '1',
      };
      const { output } = await runAgent({ file, args, home, cwd: project, env });
      return { model, output };
    },
  },
];

describe.each(AGENTS)('$name', ({ name, file, ask }) => {
  const there = existsSync(file);
  if (!there) console.warn(`${name} could not be installed here and is not tried: ${file} is missing`);

  test.skipIf(!there)('calls the tool and shows the model its output', async () => {
    const { model, output } = await ask({ command: 'echo from $((40 + 2)); echo err >&2' }, file);
    expect(model.shown(), `${model.offered()}\n${output}`).toMatch(/from 42(\n|\\n)err/);
  });

  test.skipIf(!there)('shows the model how a command failed', async () => {
    const { model, output } = await ask({ command: 'echo before; exit 3' }, file);
    expect(model.shown(), output).toMatch(/before/);
    expect(model.shown()).toMatch(/exit(ed with)? ?code\W+3|exitCode\W+3/i);
  });

  test.skipIf(!there)('shows the model what was cut, and where the rest is', async () => {
    const { model, output } = await ask({ command: 'seq 1 200000' }, file);
    expect(model.shown(), output).toMatch(/artifact:\/\/\w+/);
  });

  test.skipIf(!there)('shows the model why a command was refused', async () => {
    const { model, output } = await ask({ command: 'git push --force' }, file);
    expect(model.shown(), output).toMatch(/permission denied/);
  });

  // Gemini CLI holds the model to the schema itself.
  test.skipIf(!there || name === 'Gemini CLI')(
    'a model that sends null for every field is understood',
    async () => {
      const { model, output } = await ask(
        { command: 'echo fine', cwd: null, env: null, timeout: null },
        file,
      );
      expect(model.shown(), output).toMatch(/fine/);
    },
  );
});
