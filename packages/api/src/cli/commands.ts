import {
  createSecretBox,
  type Database,
  parseEncryptionKeys,
  readEncryptionKeyFile,
  type Settings,
} from '@comanda/db';
import type { z } from 'zod';
import { ApiError, fromZod } from '../errors.ts';
import { AuditList } from '../resources/audit/schema.ts';
import * as auditEntries from '../resources/audit/service.ts';
import * as keys from '../resources/keys/issue.ts';
import { KeyCreateAt } from '../resources/keys/schema.ts';
import { createLocation, listLocations } from '../resources/locations/create.ts';
import { LocationCreate } from '../resources/locations/schema.ts';
import { rotateKey } from '../resources/webhook-endpoints/rotate-key.ts';
import { Id } from '../wire.ts';
import { auditTable, undoTable } from './audit-table.ts';
import { type Diagnosis, diagnose } from './doctor/doctor.ts';
import { report } from './doctor/report.ts';
import { retrySetAside } from './doctor/statements.ts';
import { databaseRoles, RoleToShow, rolesText, urlOfRole } from './roles.ts';
import { rotationTable } from './rotation-table.ts';

/** The options of a command, as text: `--per-minute 60` is `{ 'per-minute': '60' }`, `--dry-run` `{ 'dry-run': 'true' }`. */
export type Options = Partial<Record<string, string>>;

/** What a command works on. */
export interface CommandContext {
  database: Database;
  databaseUrl: string;
  settings: Settings;
}

/** A command: `comanda keys create …`. */
export type Command = CommandText & (DatabaseCommand | LoneCommand);

/** What a command is called for, and how its value is shown. */
interface CommandText {
  summary: string;
  /** What stands behind the name: `ID`. */
  positionals?: readonly string[];
  /** One without `value` is a flag: given, its text is `true`. */
  options: Record<string, { value?: string; help: string; required?: boolean }>;
  /** The value for a person, where `table` would not do. */
  show?(value: unknown): string;
  /** Whether the value, though it is shown, means failure: exit code 1. */
  isFailure?(value: unknown): boolean;
}

interface DatabaseCommand {
  /** The role that it connects as, where that is not the service. */
  as?: 'owner';
  /** Does the work; the value is what `--json` prints. Throws ApiError. */
  run(context: CommandContext, options: Options, positionals: string[]): Promise<unknown>;
  runAlone?: undefined;
}

interface LoneCommand {
  as?: undefined;
  /** The same for a command that also works while settings or database do not. */
  runAlone(environment: NodeJS.ProcessEnv, options: Options): Promise<unknown>;
}

const limitOptions = {
  'per-minute': { value: 'N', help: 'requests a minute (600)' },
  monthly: { value: 'N', help: 'requests a calendar month (1000000)' },
  'batch-jobs-per-hour': { value: 'N', help: 'batch jobs an hour (30)' },
  'max-items-per-batch': { value: 'N', help: 'items in one batch (500)' },
};

/** Every command, in the order in which `--help` shows them. */
export const commands: Record<string, Command> = {
  'keys create': {
    summary: 'Make an API key; its text is shown once',
    options: {
      name: { value: 'NAME', help: 'what it is for', required: true },
      permissions: {
        value: 'LIST',
        help: 'permissions, comma-separated; also resource:* and *',
        required: true,
      },
      location: { value: 'ID', help: 'the location it belongs to (the oldest)' },
      ...limitOptions,
      'expires-at': { value: 'TIME', help: 'ISO 8601 time after which it is refused' },
    },
    run: ({ database }, options) =>
      keys.issueKey(
        database,
        parse(KeyCreateAt, {
          name: options.name,
          permissions: options.permissions?.split(',').map((part) => part.trim()),
          location_id: options.location,
          per_minute: number(options['per-minute']),
          monthly: number(options.monthly),
          batch_jobs_per_hour: number(options['batch-jobs-per-hour']),
          max_items_per_batch: number(options['max-items-per-batch']),
          expires_at: options['expires-at'],
        }),
      ),
  },
  'keys list': {
    summary: 'List API keys',
    options: { location: { value: 'ID', help: 'only those of this location' } },
    run: ({ database }, { location }) => keys.listKeys(database, location),
  },
  'keys revoke': {
    summary: 'Revoke an API key for good',
    positionals: ['ID'],
    options: {},
    run: ({ database }, _options, [id = '']) => keys.revokeKey(database, id),
  },
  'locations create': {
    summary: 'Make a location, with cash as its payment method',
    options: {
      name: { value: 'NAME', help: 'its name', required: true },
      timezone: { value: 'ZONE', help: 'IANA time zone (UTC)' },
      currency: { value: 'CODE', help: 'ISO 4217 code (USD)' },
    },
    run: ({ database }, { name, timezone, currency }) =>
      createLocation(database, parse(LocationCreate, { name, timezone, currency })),
  },
  'locations list': {
    summary: 'List locations',
    options: {},
    run: ({ database }) => listLocations(database),
  },
  'secrets rotate-key': {
    summary: 'Seal every signing secret with the first key of ENCRYPTION_KEY; safe to cut off and to repeat',
    options: {},
    run: ({ database, settings }) =>
      rotateKey(database, createSecretBox(parseEncryptionKeys(encryptionKey(settings)))),
    show: rotationTable,
  },
  audit: {
    summary: 'Show who changed what by procedures, this command line and by hand, newest first',
    options: {
      location: { value: 'ID', help: 'only what concerns this location' },
      since: { value: 'TIME', help: 'only from this ISO 8601 time or day (UTC) on' },
      table: { value: 'NAME', help: 'only what was changed by hand in this table' },
      by: { value: 'WHO', help: 'only by this role, application or key' },
      id: { value: 'ID', help: 'only this entry, or what was done to this row' },
      limit: { value: 'N', help: 'how many entries, at most 1000 (50)' },
    },
    run: ({ database }, { location, limit, ...options }) =>
      auditEntries.list(
        database,
        parse(AuditList, { ...options, location_id: location, limit: number(limit) }),
      ),
    show: auditTable,
  },
  'audit undo': {
    summary: 'Undo what was changed by hand: write the values before again, through the same guards',
    positionals: ['ENTRY'],
    options: {
      'dry-run': { help: 'only show what it would do' },
      deed: { value: 'TEXT', help: "what to say to pass a guard: 'repair: why'" },
    },
    as: 'owner',
    run: ({ database }, { 'dry-run': dryRun, deed }, [id = '']) =>
      auditEntries.undo(database, id, { dryRun: dryRun !== undefined, deed }),
    show: undoTable,
  },
  doctor: {
    summary: 'Say what is wrong and what to do about it; exit code 1 when something is, or cannot be told',
    options: {
      repair: { help: 'first derive again what can be, and say what was done; audited' },
      'dry-run': { help: 'say what --repair would do, and do nothing' },
      location: { value: 'ID', help: 'only what must hold at this location' },
      deep: { help: 'look at every row of every location, however long it takes' },
    },
    runAlone: (environment, { location, ...flags }) =>
      diagnose(environment, {
        ...(location !== undefined && { location: parse(Id, location) }),
        deep: flags.deep !== undefined,
        ...(flags.repair !== undefined && { repair: 'repair' }),
        ...(flags['dry-run'] !== undefined && { repair: 'dry run' }),
      }),
    show: report,
    isFailure: (value) => ['wrong', 'unknown'].includes((value as Diagnosis).outcome),
  },
  'relay retry': {
    summary: 'Publish the changes anew that were set aside because they could not be published',
    options: {},
    run: async ({ database }) => ({ retried: (await database.run(retrySetAside, []))[0]?.count ?? 0 }),
  },
  'db url': {
    summary: 'Print the connection string of the running database, for who only reads unless said',
    options: { role: { value: 'ROLE', help: 'reader, admin or owner (reader)' } },
    run: async ({ database, settings }, { role }) => ({
      url: await urlOfRole(database, settings, role === undefined ? undefined : parse(RoleToShow, role)),
    }),
  },
  'db roles': {
    summary: 'Print the SQL that makes the roles owner, service, admin and reader, or run it',
    options: { apply: { help: 'run it, as the role of DATABASE_URL, which may make roles; safe to repeat' } },
    runAlone: (environment, { apply }) => databaseRoles(environment, apply !== undefined),
    show: rolesText,
  },
};

function encryptionKey({ encryptionKey, dataDir }: Settings): string {
  const text = encryptionKey ?? readEncryptionKeyFile(dataDir);
  if (text !== null) return text;
  throw new ApiError('invalid_request', 'ENCRYPTION_KEY is not set, and DATA_DIR holds no key');
}

function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (!result.success) throw fromZod(result.error);
  return result.data;
}

const number = (text: string | undefined) =>
  text === undefined ? undefined : text.trim() === '' ? Number.NaN : Number(text);
