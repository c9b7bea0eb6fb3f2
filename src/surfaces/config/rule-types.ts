import { checkMinimizer, checkPolicy, NacreError } from '../../index.ts';
import type { SettingType } from './setting-type.ts';

type Policy = Parameters<typeof checkPolicy>[0];

/** Rules of the interceptor. */
export const interceptorRules: SettingType = {
  expected: 'a list of objects with pattern, tool and message',
  parse: (value) => (isListOf(value, ['pattern', 'tool', 'message']) ? value : undefined),
  problem: (rules) => problemOf({ interceptor: { rules } } as Policy),
  fromText: parseJson,
};

/** Rules about which commands may run. */
export const approvalRules: SettingType = {
  expected: 'a list of objects with action, and prefix or pattern',
  parse: (value) => (isListOf(value, ['action']) ? value : undefined),
  problem: (rules) => problemOf({ approvals: { rules } } as Policy),
  fromText: parseJson,
};

/** Condensers of one's own. */
export const condenserRules: SettingType = {
  expected: 'a list of objects with name, commands and drop',
  parse: (value) => (isListOf(value, ['name']) ? value : undefined),
  problem: (condensers) =>
    problemIn(() => checkMinimizer({ condensers } as Parameters<typeof checkMinimizer>[0])),
  fromText: parseJson,
};

/** The library knows what is wrong with a single rule. */
function problemOf(policy: Policy): string | null {
  return problemIn(() => checkPolicy(policy));
}

function problemIn(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof NacreError) return error.message;
    throw error;
  }
}

function isListOf(value: unknown, keys: readonly string[]): boolean {
  return Array.isArray(value) && value.every((entry) => keys.every((key) => hasText(entry, key)));
}

function hasText(value: unknown, key: string): boolean {
  return typeof value === 'object' && value !== null && typeof Object(value)[key] === 'string';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
