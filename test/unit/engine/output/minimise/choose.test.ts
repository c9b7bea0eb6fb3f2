import { describe, expect, test } from 'vitest';
import { BUILT_IN_CONDENSERS } from '../../../../../src/engine/output/condensers/built-in-condensers.ts';
import { chooseCondenser } from '../../../../../src/engine/output/condensers/choose-condenser.ts';
import { CONDENSER_NAMES } from '../../../../../src/engine/output/condensers/condenser.ts';
import { stripWrappers } from '../../../../../src/tool/policy/unwrap/wrappers.ts';
import { parsePlainCommands } from '../../../../../src/tool/syntax/plain-commands.ts';

const ANY = { only: [], except: [], own: [] };

function choose(command: string, choice: Partial<typeof ANY> = {}): string | null {
  const commands = parsePlainCommands(command);
  return commands === null
    ? null
    : (chooseCondenser(commands.map(stripWrappers), { ...ANY, ...choice })?.name ?? null);
}

describe('which condenser a command gets', () => {
  test.each([
    ['vitest run', 'vitest'],
    ['npx vitest run --reporter=verbose', 'vitest'],
    ['CI=1 npx --yes jest', 'jest'],
    ['pnpm exec vitest run', 'vitest'],
    ['cd app && npm ci', 'npm'],
    ['env NODE_ENV=test timeout 60 npx mocha test', 'mocha'],
    ['sudo apt-get install -y emacs-nox', 'apt'],
    ['python3 -m pytest -v', 'pytest'],
    ['poetry run pytest', 'pytest'],
    ['python -m pip install -r r.txt', 'pip'],
    ['./node_modules/.bin/jest', 'jest'],
    ['time cargo build 2>&1', 'cargo'],
    ['go test ./... > out.txt', 'go'],
    ['constructor --verbose', null],
    ['git -C repo diff', 'git diff'],
    ['git diff --stat', 'git'],
    ['git status', 'git'],
    ['git log', null],
    ['yarn', 'yarn'],
    ['npm install && cargo build', 'npm and cargo'],
    ['npm test', 'script'],
    ['yarn test', 'script'],
    ['make -j8', 'script'],
    ['ls -laR', 'listing'],
    ['ls -laR; echo done', null],
    ['echo hi', null],
    ['npm test | tee log', null],
    ['npm test &', null],
    ['npm test || true', null],
    ['for i in 1 2; do npm test; done', null],
    ['$RUNNER test', null],
    ['"', null],
  ])('%s', (command, name) => {
    expect(choose(command)).toBe(name);
  });

  test('can be limited by name', () => {
    expect(choose('npx vitest', { only: ['jest'] as never })).toBeNull();
    expect(choose('npx vitest', { except: ['vitest'] as never })).toBeNull();
    expect(choose('npx vitest', { only: ['vitest'] as never })).toBe('vitest');
  });

  test('can be one of one’s own, before a built-in one', () => {
    const own = [{ name: 'mine', commands: ['vitest'], rules: [] }];
    expect(choose('vitest run', { own: own as never })).toBe('mine');
  });

  test('their names are known, and each is given once', () => {
    expect(BUILT_IN_CONDENSERS.map(({ name }) => name)).toEqual(CONDENSER_NAMES);
    expect(new Set(CONDENSER_NAMES).size).toBe(CONDENSER_NAMES.length);
  });
});
