import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { makeGate, passTo } from '../support/gate.ts';
import { quoteName, runOnce } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { finish, startProgram, unusedPort } from './run.ts';

// A bare process has no channel to a parent and, while it waits, nothing open that would keep Node running.

vi.setConfig({ testTimeout: 120_000 });

/** A database that cannot be used, its URL, and how it becomes usable. */
interface Away {
  url: string;
  letIn(): Promise<void>;
  close(): Promise<void>;
}

const nothing = async () => {};

async function withDatabase(make: (own: TestDatabase) => Promise<Away>): Promise<Away> {
  const own = await createTestDatabase();
  const away = await make(own);
  return {
    ...away,
    async close() {
      await away.close();
      await own.drop();
    },
  };
}

const situations = {
  'whose port has no listener': () =>
    withDatabase(async ({ url }) => {
      const gate = await makeGate(url);
      return { url: gate.url, letIn: gate.open, close: gate.shut };
    }),
  'whose port takes connections and says nothing': () =>
    withDatabase(async ({ url }) => {
      let isSilent = true;
      const gate = await makeGate(url, (socket) => isSilent || passTo(url)(socket));
      await gate.open();
      return {
        url: gate.url,
        letIn: async () => {
          isSilent = false;
        },
        close: gate.shut,
      };
    }),
  'that refuses the password': () =>
    withDatabase(async ({ url, superuserUrl }) => {
      const user = `${new URL(url).username}_${randomBytes(4).toString('hex')}`;
      const asUser = new URL(url);
      asUser.username = user;
      const service = quoteName(new URL(url).username);
      await runOnce(superuserUrl, `create role ${quoteName(user)} login password 'other' in role ${service}`);
      return {
        url: asUser.href,
        letIn: () => runOnce(superuserUrl, `alter role ${quoteName(user)} password '${asUser.password}'`),
        close: () => runOnce(superuserUrl, `drop role ${quoteName(user)}`),
      };
    }),
  'that does not exist': async (): Promise<Away> => {
    const own = await createTestDatabase();
    const name = new URL(own.url).pathname.slice(1);
    const away = `${name}_away`;
    const admin = inject('adminUrl');
    await runOnce(admin, `alter database ${quoteName(name)} rename to ${quoteName(away)}`);
    return {
      url: own.url,
      letIn: () => runOnce(admin, `alter database ${quoteName(away)} rename to ${quoteName(name)}`),
      close: () => own.drop(),
    };
  },
  'that is read-only': () =>
    withDatabase(async ({ url }) => {
      const admin = inject('adminUrl');
      const name = quoteName(new URL(url).pathname.slice(1));
      const setReadOnly = (on: boolean) =>
        runOnce(admin, `alter database ${name} set default_transaction_read_only = ${on}`);
      await setReadOnly(true);
      return { url, letIn: () => setReadOnly(false), close: nothing };
    }),
};

const statusOf = (port: number): Promise<number | undefined> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ status }) => status,
    () => undefined,
  );

// Both look at the database in the same way (tests/db/schema-state.test.ts), so each situation is one program's.
test.concurrent.each([
  ['worker', 'whose port has no listener', undefined],
  ['worker', 'that refuses the password', 'WORKER_PORT'],
  ['worker', 'that is read-only', 'WORKER_PORT'],
  ['api', 'whose port takes connections and says nothing', 'PORT'],
  ['api', 'that does not exist', 'PORT'],
] as const)(
  'the %s, started bare with a database %s, waits and then works',
  async (program, situation, listensOn) => {
    const { url, letIn, close } = await situations[situation]();
    const port = await unusedPort();
    const settings = listensOn === undefined ? {} : { [listensOn]: String(port) };
    const run = startProgram(program, { DATABASE_URL: url, ...settings });
    const running = async (what: string, look: () => boolean | Promise<boolean>) =>
      waitFor(
        what,
        async () => {
          if (run.process.exitCode === null) return look();
          throw new Error(`${program} ended with exit code ${run.process.exitCode}:\n${run.output()}`);
        },
        { timeoutMs: 60_000 },
      );
    const says = async (status: number, line: RegExp) =>
      line.test(run.output()) && (listensOn === undefined || (await statusOf(port)) === status);
    try {
      await running('the reason why it waits, and a 503 of its health', () =>
        says(503, /cannot be used yet/),
      );
      // More than two of its rests: what keeps no process alive ends it in the first.
      await sleep(1_500);
      await running('it to wait', () => true);
      await letIn();
      await running('it to be ready', () => says(200, /"msg":"ready"/));
    } finally {
      await finish(run, 'SIGTERM');
      await close();
    }
  },
);
