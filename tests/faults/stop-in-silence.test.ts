import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { useTestDatabase } from '../support/database.ts';
import { startProcess } from '../support/processes.ts';
import { startProxy } from '../worker/proxy.ts';

const database = useTestDatabase();

const ways = [
  { name: 'on the connections that there are', silence: 'swallow' },
  // An API that closed meanwhile waited for a connect that never settled.
  { name: 'on new connections', silence: 'mute' },
] as const;
const entries = ['api', 'worker'] as const;
const cases = ways.flatMap((way) => entries.map((entry) => ({ ...way, entry })));

test.concurrent.for(cases)(
  'the $entry stops in order while PostgreSQL says nothing $name',
  { timeout: 240_000 },
  async ({ entry, silence }, { onTestFinished }) => {
    const proxy = await startProxy(database.url);
    onTestFinished(() => proxy.close());
    const env = { DATABASE_URL: proxy.url, ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    const running = await startProcess({ entry, env, readyTimeoutMs: 180_000 });
    // With its first request it takes part in the limits, by a heartbeat that it takes back.
    if (entry === 'api')
      await fetch(`${running.url}/v2/location`, { headers: { authorization: 'Bearer none' } });
    if (silence === 'mute') proxy.mute();
    else proxy.swallow('everything');
    // Exit code 1: its own deadline had to end it.
    expect(await running.stop()).toEqual({ code: 0, signal: null });
  },
);
