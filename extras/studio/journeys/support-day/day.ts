import { randomBytes } from 'node:crypto';
import type { ComandaClient } from '@comanda/client';
import { expect } from 'vitest';
import type { Hand } from '../../../../tests/support/by-hand.ts';
import type { RecordingConsumer } from '../../../../tests/support/consumer.ts';
import type { OrderKitchen } from '../../../../tests/support/orders.ts';
import type { PublishingApi } from '../../../../tests/support/published.ts';
import { roleUrl } from '../../../../tests/support/roles.ts';
import { run } from '../../../../tests/support/runtimes.ts';
import type { Admin } from '../admin.ts';
import type { DeskHand } from './desk-hand.ts';
import { codeOf, type Recipe, type Where } from './recipe.ts';

/** Where a case of support is carried out: a restaurant, and an admin at the desk and at a shell. */
export interface Day {
  api: PublishingApi;
  client: ComandaClient;
  kitchen: OrderKitchen;
  /** A consumer of webhooks, which answers this. */
  consumer: RecordingConsumer & { status: number };
  desk: DeskHand;
  recipe: Recipe;
  /** A folder for files, which goes with the tests. */
  folder: string;
  /** An admin at psql who calls herself so. */
  hand(name: string): Promise<Hand>;
  /** The owner at psql. */
  owner: Hand;
  /** The desk of the restaurant that a code signs in to, in another tab; what it takes counts as the desk's. */
  otherDesk(code: string): Promise<DeskHand>;
  /** The admin at a Studio that edits; it is started when it is asked for. */
  studio(): Promise<Admin>;
}

/** A case of support: what is carried out as its recipe says. */
export interface Case {
  /** The question, as the guide's heading has it. */
  title: string;
  where: Where;
  carryOut(day: Day): Promise<void>;
}

/**
 * Runs the lines of the recipe's code that have all of these words, with the value for `<name>`, at the root of the
 * repository or in `folder`; gives what they printed.
 */
export async function shell(
  { api, desk, recipe }: Day,
  words: string,
  {
    given = {},
    folder,
    env = {},
  }: { given?: Record<string, string>; folder?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const lines = codeOf(recipe)
    .split('\n')
    .filter((line) => line.includes(words));
  expect(lines, `lines of "${recipe.title}" with "${words}"`).not.toEqual([]);
  desk.lines += lines.length;
  const script = Object.entries(given).reduce(
    (text, [name, value]) => text.replaceAll(`<${name}>`, value),
    lines.join('\n'),
  );
  const settings = {
    DATABASE_URL: api.databaseUrl,
    DATABASE_OWNER_URL: roleUrl(api.databaseUrl, 'owner'),
    DATABASE_ROLE_PREFIX: new URL(api.databaseUrl).username.replace(/_service$/, ''),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    USER: 'ana',
    COMANDA_URL: api.url,
    COMANDA_KEY: api.key.key,
    ...env,
  };
  const how = { env: settings, ...(folder !== undefined && { cwd: folder }) };
  const { code, stdout, stderr } = await run('bash', ['-e', '-o', 'pipefail', '-c', script], how);
  expect({ script, code, stderr: code === 0 ? '' : stderr + stdout }).toEqual({
    script,
    code: 0,
    stderr: '',
  });
  return stdout;
}

/** Waits for what a case brings about. */
export const soon = <Result>(ask: () => Promise<Result>) => expect.poll(ask, { timeout: 20_000 });

/** The first id that a command printed. */
export const idIn = (text: string): string =>
  /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text)?.[0] ?? '';

/** The text of the key that a command printed: the longest, for its beginning is printed as well. */
export const keyIn = (text: string): string =>
  (text.match(/cmd_(live|test)_\w+/g) ?? []).reduce(
    (long, each) => (each.length > long.length ? each : long),
    '',
  );
