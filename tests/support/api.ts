import { randomBytes } from 'node:crypto';
import { createApp, type RunningApp, startServer } from '@comanda/api';
import { createTestDatabase } from './database.ts';
import { openPlace, type Place, type PlaceRows } from './place.ts';
import { useClosed } from './use.ts';

export { type Answer, type Call, callRest, typedClient } from './rest.ts';

/** A real server in this process, on a database of its own, with one location and one key that may do everything. */
export interface TestApi extends Place {
  databaseUrl: string;
  app: RunningApp;
  /** Makes one more location with a key of its own. */
  place(rows?: PlaceRows): Promise<Place>;
  close(): Promise<void>;
}

/** No test depends on whether this tree has the site: the plain pages are served, unless `builtSite` is asked for. */
const noSite = '/nonexistent/site';

/**
 * Starts an API that the caller closes. It has a database of its own, unless `settings` have a `databaseUrl`; `siteFolder` may be
 * that of the built documents.
 */
export async function startTestApi(
  settings: Partial<Parameters<typeof createApp>[0]> = {},
  siteFolder = noSite,
): Promise<TestApi> {
  const own = settings.databaseUrl === undefined ? await createTestDatabase() : undefined;
  const databaseUrl = settings.databaseUrl ?? own?.url ?? '';
  const app = await createApp({
    databaseUrl,
    encryptionKey: randomBytes(32).toString('base64'),
    idempotencyTtlHours: 168,
    webhookTargets: 'any',
    webhookAllowCidrs: [],
    logLevel: 'silent',
    ...settings,
  });
  const server = await startServer(app, { host: '127.0.0.1', port: 0 }, undefined, siteFolder);
  const at = { url: server.url, app };
  return {
    ...(await openPlace(at)),
    app,
    databaseUrl,
    place: (rows) => openPlace(at, rows),
    async close() {
      await server.drain(1_000);
      await app.close();
      await own?.drop();
    },
  };
}

/** One for the tests of a file, or of the `describe` that it is called in. `settings` are asked for when it starts. */
export const useApi = (settings: () => Parameters<typeof startTestApi>[0] = () => ({})): TestApi =>
  useClosed(() => startTestApi(settings()));
