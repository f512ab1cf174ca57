import type { Database, Settings } from '@comanda/db';
import type { Lines } from './rows.ts';

/** The options of a command, as text: `--per-minute 60` is `{ 'per-minute': '60' }`, `--dry-run` `{ 'dry-run': 'true' }`. */
export type Options = Partial<Record<string, string>>;

/** A command: `comanda keys create …`. Help needs its texts alone, so what does the work is loaded when it is called. */
export interface Command {
  summary: string;
  /** The operand after the name: `ID`. */
  positionals?: readonly string[];
  /** One without `value` is a flag: given, its text is `true`. */
  options: Record<string, { value?: string; help: string; required?: boolean }>;
  /** It writes into the audit, so it takes `--as` as well. */
  audited?: true;
  work(): Promise<Work>;
}

/** Commands by their names, in the order in which `--help` shows them. */
export type Commands = Readonly<Record<string, Command>>;

/** The options that a command takes, without those of all. */
export const optionsOf = ({ options, audited }: Command): Command['options'] =>
  audited === undefined
    ? options
    : { ...options, as: { value: 'NAME', help: 'author, for the audit ($SUDO_USER, else $USER)' } };

/** The objects that a command works on. */
export interface CommandContext {
  database: Database;
  databaseUrl: string;
  settings: Settings;
}

/** The action of a command. */
export type Work = Shown & (DatabaseWork | LoneWork);

interface Shown {
  /** The lines of the value for a person, where `table` would not do. */
  show?(value: unknown): Lines;
  /** Whether the value, though it is shown, means failure: exit code 1. */
  isFailure?(value: unknown): boolean;
}

/** Work on the database of the settings. */
export interface DatabaseWork {
  /** The role that it connects as, where that is not the service. */
  as?: 'owner';
  /** Does the work; the value is what `--json` prints. Throws ApiError. */
  run(context: CommandContext, options: Options, positionals: string[]): Promise<unknown>;
  runAlone?: undefined;
}

interface LoneWork {
  as?: undefined;
  /** The same for a command that also works while settings or database do not. */
  runAlone(environment: NodeJS.ProcessEnv, options: Options, positionals: string[]): Promise<unknown>;
}
