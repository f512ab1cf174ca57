import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { commands } from '../../packages/cli/src/commands.ts';
import { useApi } from '../support/api.ts';
import { type CommandOutcome, runComanda } from '../support/command.ts';
import { codeOf, controls, controlsIn } from '../support/controls.ts';
import { type HostilePlace, makeHostile } from './hostile-place.ts';

// Every command is a process of its own.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const encryptionKey = Buffer.alloc(32, 7).toString('base64');
const api = useApi(() => ({ encryptionKey }));
const folder = mkdtempSync(join(tmpdir(), 'comanda-hostile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let place: HostilePlace;
beforeAll(async () => {
  place = await makeHostile(api);
});

const comanda = (...argv: string[]) =>
  runComanda({ DATABASE_URL: api.databaseUrl, ENCRYPTION_KEY: encryptionKey, DATA_DIR: folder }, ...argv);

/** A text that an operator might type by mistake, or paste. No argument of a process holds a NUL. */
const typed = `x${controls.slice(1).join('')}`;

function expectReadable({ stdout, stderr }: CommandOutcome): void {
  expect({ stdout: controlsIn(stdout), stderr: controlsIn(stderr) }).toEqual({ stdout: [], stderr: [] });
}

/** The words after the name of each command; those that print texts of callers must succeed, and show some as their codes. */
const words: Readonly<Record<keyof typeof commands, () => { prints?: true; argv: string[] }>> = {
  'keys list': () => ({ prints: true, argv: [] }),
  'keys show': () => ({ prints: true, argv: [place.key] }),
  'keys create': () => ({ argv: ['--name', typed, '--permissions', 'orders:read'] }),
  'keys update': () => ({ argv: [place.key, '--name', typed] }),
  'keys rotate': () => ({ prints: true, argv: [place.key] }),
  'app code': () => ({ argv: ['--name', typed] }),
  'locations create': () => ({ argv: ['--name', typed] }),
  'locations list': () => ({ prints: true, argv: [] }),
  'locations show': () => ({ prints: true, argv: [api.locationId] }),
  'locations update': () => ({ argv: [api.locationId, '--timezone', typed] }),
  'locations disable': () => ({ prints: true, argv: [api.locationId] }),
  'locations enable': () => ({ prints: true, argv: [api.locationId] }),
  'locations export': () => ({ argv: [api.locationId, '--to', join(folder, typed)] }),
  'locations import': () => ({ argv: [join(folder, typed)] }),
  'locations move': () => ({ argv: [api.locationId, '--cells', typed, '--to', typed] }),
  'cells map': () => ({ argv: ['--cells', typed, '--for', 'haproxy'] }),
  'cells check': () => ({ argv: ['--cells', typed] }),
  erase: () => ({ argv: ['--order', typed] }),
  'menus copy': () => ({ argv: ['--from', api.locationId, '--to', typed, '--seen', typed] }),
  'orders show': () => ({ prints: true, argv: [place.order, '--location', api.locationId] }),
  'webhooks list': () => ({ argv: ['--location', api.locationId] }),
  'webhooks rotate': () => ({ argv: [place.endpoint, '--location', api.locationId] }),
  'webhooks replay': () => ({ argv: [place.endpoint, '--since', typed] }),
  'deliveries list': () => ({ prints: true, argv: ['--location', api.locationId] }),
  'deliveries retry': () => ({ argv: [place.delivery, '--location', typed] }),
  'jobs list': () => ({ prints: true, argv: ['--location', api.locationId] }),
  'jobs retry': () => ({ argv: [place.job, '--location', api.locationId] }),
  'secrets rotate-key': () => ({ argv: [] }),
  audit: () => ({ prints: true, argv: ['--location', api.locationId] }),
  'audit undo': () => ({ argv: [place.entry, '--deed', typed] }),
  migrate: () => ({ argv: ['--status'] }),
  restored: () => ({ argv: ['--ahead', typed] }),
  drill: () => ({ argv: ['--from', typed] }),
  config: () => ({ argv: [] }),
  doctor: () => ({ argv: [] }),
  'relay retry': () => ({ argv: [] }),
  'db url': () => ({ argv: ['--role', typed] }),
  'db roles': () => ({ argv: [] }),
  'db roles person': () => ({ argv: [typed] }),
  'keys revoke': () => ({ prints: true, argv: [place.key] }),
  'locations delete': () => ({ argv: [api.locationId, '--confirm', typed] }),
};

it('every command is run', () => {
  expect(Object.keys(words).sort()).toEqual(Object.keys(commands).sort());
});

describe.each(Object.entries(words))('comanda %s', (name, call) => {
  it('prints no control of what callers chose, as lines and as JSON', async () => {
    const { prints, argv } = call();
    for (const json of [[], ['--json']]) {
      const outcome = await comanda(...name.split(' '), ...argv, ...json);
      expectReadable(outcome);
      if (json.length > 0) JSON.parse(outcome.stdout);
      if (prints !== true || name === 'keys rotate') continue;
      expect(outcome.code, outcome.stderr).toBe(0);
      expect(outcome.stdout).toContain(codeOf('\u202e'));
    }
  });

  it('prints none of an option that it does not know', async () => {
    expectReadable(await comanda(...name.split(' '), `--${typed}`));
  });
});

it('a command that does not exist is named without its controls', async () => {
  for (const argv of [[typed], ['keys', typed], ['keys', 'show', typed], ['keys', 'show', typed, typed]])
    expectReadable(await comanda(...argv));
});

it('a line break in a name makes no line of its own', async () => {
  await api.pool.query(`update locations set name = E'Bar\\nid  forged' where id = $1`, [api.locationId]);
  const { stdout } = await comanda('locations', 'show', api.locationId);
  expect(stdout).toMatch(/^name +Bar\\u000aid {2}forged$/m);
  expect(stdout).not.toMatch(/^id +forged/m);
});
