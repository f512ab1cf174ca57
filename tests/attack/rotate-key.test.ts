import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { rotateKey } from '@comanda/api/services';
import { createSecretBox, newId, newSigningSecret, parseEncryptionKeys, repositoryRoot } from '@comanda/db';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { callRest, startTestApi, type TestApi } from '../support/api.ts';
import { startConsumer } from '../support/consumer.ts';
import { prismaOf } from '../support/prisma.ts';
import { startProcess } from '../support/processes.ts';
import { reportFault, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';

// Commands and servers are processes of their own.
vi.setConfig({ testTimeout: 240_000 });

const base64Key = () => randomBytes(32).toString('base64');
const boxOf = (ring: string) => createSecretBox(parseEncryptionKeys(ring));

let old: string;
let fresh: string;
let ring: string;
let api: TestApi;
const opened: TestApi[] = [];
beforeEach(async () => {
  old = base64Key();
  fresh = base64Key();
  ring = `2026:${fresh},${old}`;
  api = await startTestApi({ encryptionKey: old });
  opened.push(api);
});
afterAll(() => Promise.all(opened.map((each) => each.close())));

describe('comanda secrets rotate-key', () => {
  test('seals again the answers that are kept for repeats, which answer as before', async () => {
    const body = { url: 'http://127.0.0.1:9/hook', events: ['order.created'] };
    const call = { key: api.key.key, body, headers: { 'idempotency-key': 'endpoint-1' } };
    const made = await api.rest('POST /v2/webhook-endpoints', call);
    expect(made.status, made.text).toBe(201);
    // The secret, and the answer that holds it.
    expect(await rotateKey(api.app.database, boxOf(ring))).toMatchObject({ resealed: 2, unchanged: 0 });
    expect(await rotateKey(api.app.database, boxOf(ring))).toMatchObject({ resealed: 0, unchanged: 2 });
    const later = await startTestApi({ databaseUrl: api.databaseUrl, encryptionKey: `2026:${fresh}` });
    opened.push(later);
    const again = await callRest(later.url, 'POST /v2/webhook-endpoints', call);
    expect(again.text).toBe(made.text);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  test('seals everything again while API and workers run, and every delivery stays signed', async () => {
    const consumer = await startConsumer();
    const { received } = consumer;
    const env = { DATABASE_URL: api.databaseUrl, ENCRYPTION_KEY: ring, WEBHOOK_TARGETS: 'any' };
    const [server, worker] = [
      await startProcess({ entry: 'api', env }),
      await startProcess({ entry: 'worker', env }),
    ];
    const endpoint = { url: consumer.url, events: ['product.created'] };
    const made = await api.rest<{ data: { id: string; secret: string } }>('POST /v2/webhook-endpoints', {
      body: endpoint,
    });
    const { id, secret } = made.body.data;
    await fill(api, old, 600);
    const create = () => api.make.product();
    // Throws at the first that is not signed with it.
    const signed = () =>
      received.map(({ text, headers }) => new Webhook(secret).verify(text, headers as Record<string, string>))
        .length;

    await create();
    const rotation = comanda('secrets', 'rotate-key', '--json');
    const rotated = await fetch(`${server.url}/v2/webhook-endpoints/${id}/rotate-secret`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api.key.key}` },
    });
    expect(rotated.status).toBe(200);
    for (let n = 0; n < 10; n++) await create();
    const { code, stdout } = await rotation.ended;
    expect({ code, stdout }).toMatchObject({ code: 0 });
    const report = JSON.parse(stdout);
    const oldId = parseEncryptionKeys(old)[0].id;
    expect(report).toMatchObject({ current_key_id: '2026', removable: [oldId] });
    expect(report.keys).toEqual([
      { key_id: '2026', secrets: 602 },
      { key_id: oldId, secrets: 0 },
    ]);
    await waitFor('all deliveries', () => received.length >= 11);
    expect(signed()).toBe(received.length);

    const again = await comanda('secrets', 'rotate-key').ended;
    expect(again.stdout).toContain('0 secrets sealed again with the key "2026", 602 already were');
    expect(again.stdout).toContain(`key "${oldId}" is needed no more`);
    expect(again.stdout + again.stderr).not.toContain(fresh);

    await worker.stop();
    await startProcess({ entry: 'worker', env: { ...env, ENCRYPTION_KEY: `2026:${fresh}` } });
    await create();
    await waitFor('the delivery without the old key', () => received.length >= 12);
    expect(signed()).toBe(received.length);
    await consumer.close();
  });

  test('killed half-way, goes on where it was, and leaves every secret readable', async () => {
    const total = 3_000;
    const wanted = trials(1, 10);
    let real = 0;
    const plain = await fill(api, old, total);
    for (let trial = 0; trial < wanted; trial += 1) {
      const [from, to] = trial % 2 === 0 ? [old, fresh] : [fresh, old];
      const box = boxOf(`${to},${from}`);
      const before = await count(box.currentKeyId);
      const run = comanda.with(`${to},${from}`, 'secrets', 'rotate-key', '--json');
      await waitFor('the rotation to be under way', async () => (await count(box.currentKeyId)) > before, {
        intervalMs: 2,
        timeoutMs: 60_000,
      });
      run.kill();
      await run.ended;
      const moved = await count(box.currentKeyId);
      if (moved > 0 && moved < total) real += 1;
      expect(await readable(box)).toEqual(plain);
      const { stdout } = await comanda.with(`${to},${from}`, 'secrets', 'rotate-key', '--json').ended;
      expect(JSON.parse(stdout)).toMatchObject({ resealed: total - moved, unchanged: moved });
      expect(await readable(boxOf(to))).toEqual(plain);
    }
    reportFault('secrets rotate-key killed', { trials: wanted, real });
    expect(real).toBeGreaterThanOrEqual(Math.ceil(wanted / 2));
  });

  test('fails and says how many secrets the given keys cannot open, and seals the others', async () => {
    await fill(api, old, 3);
    await fill(api, `lost:${base64Key()}`, 2);
    const outcome = await comanda('secrets', 'rotate-key', '--json').ended;
    expect(outcome.code).toBe(1);
    const { error } = JSON.parse(outcome.stdout);
    expect(error.code).toBe('conflict');
    expect(error.message).toContain('2 sealed with the key "lost"');
    expect(await count('2026')).toBe(3);
    expect(await count('lost')).toBe(2);
  });
});

describe('a sealed secret', () => {
  test('copied by SQL to another endpoint, or to the same id at another location, opens for neither', async () => {
    const [first, second] = [newId(), newId()];
    const elsewhere = await api.make.location();
    await fill(api, old, 1, [first]);
    await copySecret(first, api.locationId, second);
    await copySecret(first, elsewhere, first);
    const box = boxOf(old);
    const rows = await api.prisma.webhookSecret.findMany();
    const opens = rows.map((row) => {
      const stored = { keyId: row.encryptionKeyId, sealed: row.sealed };
      try {
        return box.open(stored, row).startsWith('whsec_');
      } catch {
        return false;
      }
    });
    expect(rows).toHaveLength(3);
    expect(opens.filter(Boolean)).toHaveLength(1);
    await expect(rotateKey(api.app.database, boxOf(ring))).rejects.toThrow('2 secrets cannot be opened');
  });

  test('is sealed again for two rotations at once as if for one, with an entry of the audit', async () => {
    const plain = await fill(api, old, 300);
    const box = boxOf(ring);
    const both = await Promise.all([rotateKey(api.app.database, box), rotateKey(api.app.database, box)]);
    expect(both.reduce((sum, { resealed }) => sum + resealed, 0)).toBe(300);
    expect(await readable(boxOf(`2026:${fresh}`))).toEqual(plain);
    const entries = await api.prisma.auditEntry.findMany({
      where: { operation: 'secrets.rotateKey' },
    });
    const counted = entries.map(({ changes }) => (changes as { after: { secrets: number } }).after.secrets);
    expect(counted.reduce((sum, each) => sum + each, 0)).toBe(300);
  });
});

/** Stores endpoints with a secret each, sealed with the first key of the ring; returns the secrets by endpoint. */
async function fill(
  { app, locationId }: TestApi,
  keys: string,
  howMany: number,
  ids = Array.from({ length: howMany }, newId),
): Promise<Map<string, string>> {
  const box = boxOf(keys);
  const plain = new Map(ids.map((id) => [id, newSigningSecret()]));
  await prismaOf(app.database).webhookEndpoint.createMany({
    data: ids.map((id) => ({
      id,
      locationId,
      url: 'http://127.0.0.1:9/',
      events: ['order.created'],
      status: 'disabled' as const,
    })),
  });
  await prismaOf(app.database).webhookSecret.createMany({
    data: [...plain].map(([endpointId, secret]) => {
      const { keyId, sealed } = box.seal(secret, { locationId, endpointId });
      return { locationId, endpointId, encryptionKeyId: keyId, sealed: new Uint8Array(sealed) };
    }),
  });
  return plain;
}

async function copySecret(from: string, locationId: string, endpointId: string): Promise<void> {
  await api.sql`insert into webhook_endpoints (location_id, id, url, events)
    values (${locationId}, ${endpointId}, 'http://127.0.0.1:9/', '{order.created}')`;
  await api.sql`insert into internal.webhook_secrets (location_id, endpoint_id, encryption_key_id, sealed)
    select ${locationId}, ${endpointId}, encryption_key_id, sealed from internal.webhook_secrets where endpoint_id = ${from}`;
}

async function readable(box: ReturnType<typeof boxOf>): Promise<Map<string, string>> {
  const rows = await api.prisma.webhookSecret.findMany({ orderBy: { endpointId: 'asc' } });
  return new Map(
    rows.map((row) => [row.endpointId, box.open({ keyId: row.encryptionKeyId, sealed: row.sealed }, row)]),
  );
}

const count = (keyId: string): Promise<number> =>
  api.prisma.webhookSecret.count({ where: { encryptionKeyId: keyId } });

const comanda = Object.assign((...argv: string[]) => runCommand(ring, argv), {
  with: (keys: string, ...argv: string[]) => runCommand(keys, argv),
});

function runCommand(keys: string, argv: readonly string[]) {
  const script = `import('${join(repositoryRoot, 'dist', 'comanda.js')}').then(({ main }) => main(process.argv.slice(1))).then((code) => { process.exitCode = code; })`;
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, DATABASE_URL: api.databaseUrl, ENCRYPTION_KEY: keys };
  const child = spawn(process.execPath, ['-e', script, ...argv], { cwd: repositoryRoot, env });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      written[name] += chunk;
    });
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, ...written }));
  });
  return { ended, kill: () => child.kill('SIGKILL') };
}
