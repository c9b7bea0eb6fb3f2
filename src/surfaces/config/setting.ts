import type { SettingType } from './setting-type.ts';

/** What the file of a project, which may come from anybody, can do with a setting. */
export type ProjectRight =
  | 'may'
  /** Only these values: the ones that make nothing less safe. */
  | { readonly only: readonly unknown[] }
  | { readonly never: string };

/** One setting: everything that is known about it, in one row. */
export interface Setting {
  readonly type: SettingType;
  /** For people; the value itself is the library's business. */
  readonly default: string;
  readonly help: string;
  readonly project: ProjectRight;
  /** Where it goes in the options of `createBash`; `null`: the surface it is named after reads it itself. */
  readonly option: string | null;
  /** What one of it is worth there. */
  readonly factor?: number;
  /** Further variables that set it, with what they mean when they are set. */
  readonly aliases?: Readonly<Record<string, unknown>>;
}
