import type { UrlResolver } from '../urls/scheme.ts';

export interface UrlOptions {
  /**
   * `skill://<name>/…` → a folder.
   *
   * @default {}
   */
  readonly skills?: Readonly<Record<string, string>>;
  /**
   * Schemes of your own, by name.
   *
   * @default {}
   */
  readonly schemes?: Readonly<Record<string, UrlResolver>>;
}
