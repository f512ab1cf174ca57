import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { isInChromium, suiteNamed } from '../../scripts/suites/table.mjs';
import { startBrowser } from '../browser/chromium.ts';
import { migrateWithRoles } from './roles.ts';
import { createRunDirectory, killNoted, noteProcess } from './run-directory.ts';
import { openTestServer, quoteName, runOnce, type TestServer, urlOfDatabase } from './server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Temporary folder of the run. */
    runDirectory: string;
    /** A database from which others can be made. */
    adminUrl: string;
    /** The prefix of the name of every database of the run. */
    databasePrefix: string;
    /** The migrated database that is cloned. */
    templateDatabase: string;
    /** The address of the websocket of the Chromium of the run; empty in runs without one. */
    browserEndpoint: string;
  }
}

/** Before all tests: one server, one migrated template, one browser. The answer, after all tests, takes them away. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = createRunDirectory();
  // vitest exits at once on SIGINT and SIGTERM, without the teardown: what runs then ends here.
  const onExit = () => {
    killNoted(directory);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('exit', onExit);
  exitWithParent();
  const server = await openTestServer(directory);
  const template = await createTemplate(server);
  const browser = await openBrowser(directory);
  project.provide('runDirectory', directory);
  project.provide('adminUrl', server.adminUrl);
  project.provide('databasePrefix', server.prefix);
  project.provide('templateDatabase', template);
  project.provide('browserEndpoint', browser.endpoint);
  return async () => {
    process.off('exit', onExit);
    await browser.stop();
    await server.stop();
    const left = killNoted(directory);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    if (left.length === 0) return;
    process.exitCode = 1;
    throw new Error(`tests left processes running: ${left.join(', ')}`);
  };
}

/** The one Chromium of a suite that needs one; its profile goes with the folder of the run. */
async function openBrowser(directory: string) {
  const { COMANDA_TEST_SUITE: suite = '' } = process.env;
  if (suite === '' || !isInChromium(suiteNamed(suite))) return { endpoint: '', stop: async () => {} };
  const browser = await startBrowser({ userDataDir: join(directory, 'chromium') });
  const pid = browser.process()?.pid;
  const ended = pid === undefined ? () => {} : noteProcess(directory, pid);
  return {
    endpoint: browser.wsEndpoint(),
    async stop() {
      await browser.close();
      ended();
    },
  };
}

/** Killed together, scripts/test.mjs cannot end us: the loss of the parent does. */
function exitWithParent(): void {
  const parent = process.ppid;
  if (process.env.COMANDA_TEST_DIRECTORY === undefined) return;
  setInterval(() => process.ppid === parent || process.exit(1), 1_000).unref();
}

async function createTemplate({ adminUrl, prefix }: TestServer): Promise<string> {
  const name = `${prefix}_template`;
  const url = urlOfDatabase(adminUrl, name);
  await runOnce(adminUrl, `create database ${quoteName(name)}`);
  await migrateWithRoles(url, prefix);
  // A template with an open session cannot be cloned.
  await runOnce(adminUrl, `alter database ${quoteName(name)} allow_connections false`);
  return name;
}
