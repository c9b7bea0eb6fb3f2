import { expect, test } from 'vitest';
import { findMcpClient } from '../../../../src/surfaces/mcp/clients.ts';
import { SERVER_SETTINGS } from '../../../../src/tool/options/option-table.ts';

test.each([
  ['codex-mcp-client', 'auto', { id: 'codex', timeoutSeconds: 300, isTextOnly: true }],
  ['claude-code', 'auto', { id: 'claude-code', timeoutSeconds: null, isTextOnly: true }],
  ['gemini-cli-mcp-client-nacre', 'auto', { id: 'gemini-cli', timeoutSeconds: 600, isTextOnly: true }],
  ['claude-ai', 'auto', { id: 'other', timeoutSeconds: null, isTextOnly: false }],
  ['', 'auto', { id: 'other', timeoutSeconds: 60, isTextOnly: false }],
  ['claude-code', 'other', { id: 'other', timeoutSeconds: 60, isTextOnly: false }],
  ['claude-code', 'codex', { id: 'codex', maxOutputBytes: 10_000 }],
] as const)('the client named %j with mcp.client %s', (name, setting, facts) => {
  expect(findMcpClient(name, setting)).toMatchObject(facts);
});

test('every value of mcp.client selects its own client', () => {
  const choices = SERVER_SETTINGS['mcp.client']?.check.choices ?? [];
  expect(choices).toHaveLength(5);
  for (const id of choices.slice(1)) expect(findMcpClient('', id).id).toBe(id);
});
