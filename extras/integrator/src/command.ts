import type { Service } from './service.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** A command: `comanda.mjs listen …`. */
export interface Command {
  summary: string;
  /** The operand after the name: `TYPE`, `[ENDPOINT]`. */
  positionals?: string;
  options: Readonly<Record<string, Option>>;
  /** More lines of its help. */
  more?: readonly string[];
  /** Does the work, and gives the exit code. */
  run(context: Context): Promise<number>;
}

/** One without `value` is a flag. */
export interface Option {
  value?: string;
  help: string;
  /** It may be given several times. */
  multiple?: true;
}

/** The context of a command. */
export interface Context {
  terminal: Terminal;
  /** The words behind the name. */
  words: readonly string[];
  /** The text of an option, or undefined. */
  text(name: string): string | undefined;
  /** Every text of an option that may be given several times. */
  texts(name: string): readonly string[];
  flag(name: string): boolean;
  /** The API. @throws {UsageError} when its URL is missing, or the key where it is needed. */
  service(needs?: { key: boolean }): Service;
  /** Where the API is, and the key. @throws {UsageError} when one is missing. */
  address(): Address;
}

/** Where an API is, and the key that its caller has. */
export interface Address {
  url: URL;
  key: string;
}

/** The text of an option that must be there. @throws {UsageError} */
export function required(context: Context, name: string): string {
  const text = context.text(name);
  if (text === undefined) throw new UsageError(`--${name} is required`);
  return text;
}

/** An absolute http(s) URL. @throws {UsageError} that names where it came from. */
export function urlFrom(text: string, source: string): URL {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return new URL(text);
  throw new UsageError(`${source} must be an http(s) URL, like http://localhost:4000/hook`);
}

/** A moment: ISO 8601, or how long ago (`90s`, `15m`, `2h`, `7d`). @throws {UsageError} */
export function momentFrom(text: string | undefined, source: string): string | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };
  if (count !== undefined)
    return new Date(Date.now() - Number(count) * (seconds[unit] ?? 0) * 1000).toISOString();
  if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new UsageError(`${source} must be a time like 2026-01-31T00:00:00Z, or 15m, 2h, 7d ago`);
}

/** A signing secret. @throws {UsageError} */
export function secretFrom(text: string | undefined): string | undefined {
  if (text === undefined || /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text)) return text;
  throw new UsageError('the secret must be whsec_ followed by base64');
}
