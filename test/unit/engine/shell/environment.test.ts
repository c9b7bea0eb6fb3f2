import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildEnvironment, type EnvironmentRequest } from '../../../../src/engine/shell/child-environment.ts';

const NO_RULES = { allow: [], deny: [], grants: [] };

function build(request: Partial<EnvironmentRequest>) {
  return buildEnvironment({
    inherited: {},
    session: {},
    call: {},
    disarm: 'pipe',
    ci: true,
    secrets: NO_RULES,
    ...request,
  });
}

describe('the environment of a command', () => {
  test('call is stronger than session, session than disarming, disarming than what is inherited', () => {
    const inherited = { PAGER: 'less', EDITOR: 'vim', LANG: 'C', A: 'inherited' };
    const { env } = build({ inherited, session: { EDITOR: 'ed', A: 'session' }, call: { A: 'call' } });
    expect(env).toMatchObject({ PAGER: 'cat', EDITOR: 'ed', LANG: 'C', A: 'call' });
  });

  test('pagers, editors and prompts are disarmed on a pipe, colours and progress bars too', () => {
    const { env } = build({ inherited: { FORCE_COLOR: '1', TERM: 'xterm-kitty', CI: 'no' } });
    expect(env).toMatchObject({
      PAGER: 'cat',
      GIT_PAGER: 'cat',
      GIT_EDITOR: 'true',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ASKPASS: '',
      SSH_ASKPASS: 'false',
      DEBIAN_FRONTEND: 'noninteractive',
      CI: 'true',
      NO_COLOR: '1',
      TERM: 'dumb',
    });
    expect(env).not.toHaveProperty('FORCE_COLOR');
  });

  test('on a terminal colours and questions stay, while pagers, editors and credential prompts do not', () => {
    const { env } = build({ inherited: { FORCE_COLOR: '1', TERM: 'screen' }, disarm: 'terminal' });
    expect(env).toMatchObject({
      TERM: 'xterm-256color',
      FORCE_COLOR: '1',
      PAGER: 'cat',
      GIT_TERMINAL_PROMPT: '0',
    });
    for (const name of ['NO_COLOR', 'CI', 'DEBIAN_FRONTEND']) expect(env).not.toHaveProperty(name);
  });

  test('no value is a path that some systems do not have', () => {
    expect(Object.values(build({}).env).filter((value) => value.includes('/'))).toEqual([]);
  });

  test('CI can be left out, and an inherited one then stays as it is', () => {
    expect(build({ ci: false }).env).not.toHaveProperty('CI');
    expect(build({ ci: false, inherited: { CI: 'woodpecker' } }).env).toMatchObject({ CI: 'woodpecker' });
  });

  test('the repository in hand is not passed on, and who the user is to git is', () => {
    const inherited = {
      GIT_DIR: '/x/.git',
      GIT_INDEX_FILE: 'i',
      GIT_WORK_TREE: '/x',
      GIT_AUTHOR_NAME: 'Ada',
    };
    const { env } = build({ inherited });
    expect(env).toMatchObject({ GIT_AUTHOR_NAME: 'Ada' });
    for (const name of ['GIT_DIR', 'GIT_INDEX_FILE', 'GIT_WORK_TREE']) expect(env).not.toHaveProperty(name);
    expect(build({ inherited, call: { GIT_DIR: '/y/.git' } }).env).toMatchObject({ GIT_DIR: '/y/.git' });
  });

  test('as it is inherited, only our mark is added', () => {
    const inherited = { GIT_DIR: '/x/.git', GITHUB_TOKEN: 'abc123def456', PAGER: 'less', 'odd name': '' };
    expect(build({ inherited, disarm: 'off', secrets: null })).toEqual({
      env: { ...inherited, NACRE: '1' },
      withheld: [],
      maskValues: [],
      dropped: [],
    });
  });

  test('every command is marked, whatever anybody asked for', () => {
    expect(build({ inherited: { NACRE: '0' }, session: { NACRE: '' }, call: { NACRE: 'x' } }).env.NACRE).toBe(
      '1',
    );
  });

  test('odd names are kept; what no process can be given is dropped and said', () => {
    const inherited = {
      'ProgramFiles(x86)': 'C:',
      'BASH_FUNC_f%%': '() {  :\n}',
      'a=b': '1',
      '': '2',
      nacre_dir: '/x',
    };
    const { env, dropped } = build({
      inherited,
      session: { 'x\0y': '1' },
      call: { nacre_id: '1', ok: 'a\0b' },
    });
    expect(env).toMatchObject({ 'ProgramFiles(x86)': 'C:', 'BASH_FUNC_f%%': '() {  :\n}' });
    for (const name of ['a=b', '', 'nacre_dir', 'nacre_id', 'ok'])
      expect(Object.keys(env)).not.toContain(name);
    expect(dropped).toEqual(['x\0y', 'nacre_id', 'ok']);
  });

  test('a variable called like a part of every object is a variable like any other', () => {
    const inherited = JSON.parse('{"__proto__": "a", "constructor": "b", "toString": "c"}');
    const { env } = build({ inherited });
    expect(Object.entries(env)).toEqual(expect.arrayContaining(Object.entries(inherited)));
  });

  test('nothing that is given is changed, and what is built is not shared', () => {
    const given = Object.freeze({ PAGER: 'less', GITHUB_TOKEN: 'abc123def456', GIT_DIR: 'x' });
    const first = build({ inherited: given });
    (first.env as Record<string, string>).PAGER = 'poisoned';
    expect(build({ inherited: given }).env.PAGER).toBe('cat');
  });

  test('every inherited variable is passed on, disarmed, withheld or left out for a reason', () => {
    const names = fc.stringMatching(/^[A-Za-z_]{1,12}$/);
    fc.assert(
      fc.property(fc.dictionary(names, fc.string({ maxLength: 20 })), (inherited) => {
        const { env, withheld } = build({ inherited });
        const missing = Object.entries(inherited).filter(
          ([name]) => !(name in env) && !withheld.includes(name),
        );
        expect(
          missing.filter(([name, value]) => !name.startsWith('nacre_') && !value.includes('\0')),
        ).toEqual([]);
      }),
    );
  });
});
