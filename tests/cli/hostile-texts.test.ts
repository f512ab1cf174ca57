import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../../extras/operator/src/commands.ts';
import { useApi } from '../support/api.ts';
import { type CommandOutcome, callComanda } from '../support/command.ts';
import { codeOf, controls, controlsIn } from '../support/controls.ts';
import { type HostilePlace, makeHostile } from './hostile-place.ts';

const encryptionKey = Buffer.alloc(32, 7).toString('base64');
const api = useApi(() => ({ encryptionKey }));
const folder = mkdtempSync(join(tmpdir(), 'comanda-hostile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const comanda = (...argv: string[]) =>
  callComanda({ DATABASE_URL: api.databaseUrl, ENCRYPTION_KEY: encryptionKey, DATA_DIR: folder }, ...argv);

/** A text that an operator might type by mistake, or paste. No argument of a process holds a NUL. */
const typed = `x${controls.slice(1).join('')}`;

function expectReadable({ stdout, stderr }: CommandOutcome): void {
  expect({ stdout: controlsIn(stdout), stderr: controlsIn(stderr) }).toEqual({ stdout: [], stderr: [] });
}

/** The words after the name of each command; those that print texts of callers must succeed, and show some as their codes. */
const words: Readonly<
  Record<keyof typeof commands, (place: HostilePlace) => { prints?: true; argv: string[] }>
> = {
  'keys list': () => ({ prints: true, argv: [] }),
  'keys show': (place) => ({ prints: true, argv: [place.key] }),
  'keys create': () => ({ argv: ['--name', typed, '--permissions', 'orders:read'] }),
  'keys update': (place) => ({ argv: [place.key, '--name', typed] }),
  'keys rotate': (place) => ({ prints: true, argv: [place.key] }),
  'app code': () => ({ argv: ['--name', typed] }),
  'locations create': () => ({ argv: ['--name', typed] }),
  'locations list': () => ({ prints: true, argv: [] }),
  'locations show': (place) => ({ prints: true, argv: [place.location] }),
  'locations update': (place) => ({ argv: [place.location, '--timezone', typed] }),
  'locations disable': (place) => ({ prints: true, argv: [place.location] }),
  'locations enable': (place) => ({ prints: true, argv: [place.location] }),
  'locations export': (place) => ({ argv: [place.location, '--to', join(folder, typed)] }),
  'locations import': () => ({ argv: [join(folder, typed)] }),
  'locations move': (place) => ({ argv: [place.location, '--cells', typed, '--to', typed] }),
  'cells map': () => ({ argv: ['--cells', typed, '--for', 'haproxy'] }),
  'cells check': () => ({ argv: ['--cells', typed] }),
  erase: () => ({ argv: ['--order', typed] }),
  'menus copy': (place) => ({ argv: ['--from', place.location, '--to', typed, '--seen', typed] }),
  'orders show': (place) => ({ prints: true, argv: [place.order, '--location', place.location] }),
  'webhooks list': (place) => ({ argv: ['--location', place.location] }),
  'webhooks rotate': (place) => ({ argv: [place.endpoint, '--location', place.location] }),
  'webhooks replay': (place) => ({ argv: [place.endpoint, '--since', typed] }),
  'deliveries list': (place) => ({ prints: true, argv: ['--location', place.location] }),
  'deliveries retry': (place) => ({ argv: [place.delivery, '--location', typed] }),
  'jobs list': (place) => ({ prints: true, argv: ['--location', place.location] }),
  'jobs retry': (place) => ({ argv: [place.job, '--location', place.location] }),
  'secrets rotate-key': () => ({ argv: [] }),
  audit: (place) => ({ prints: true, argv: ['--location', place.location] }),
  'audit undo': (place) => ({ argv: [place.entry, '--deed', typed] }),
  migrate: () => ({ argv: ['--status'] }),
  restored: () => ({ argv: ['--ahead', typed] }),
  drill: () => ({ argv: ['--from', typed] }),
  config: () => ({ argv: [] }),
  doctor: () => ({ argv: [] }),
  'relay retry': () => ({ argv: [] }),
  'db url': () => ({ argv: ['--role', typed] }),
  'db roles': () => ({ argv: [] }),
  'db roles person': () => ({ argv: [typed] }),
  'keys revoke': (place) => ({ prints: true, argv: [place.key] }),
  'locations delete': (place) => ({ argv: [place.location, '--confirm', typed] }),
};

/** Commands after which another one would be refused, or show less. */
const takesAway = ['keys rotate', 'keys revoke', 'locations disable', 'jobs retry'];
let shared: HostilePlace;
beforeAll(async () => {
  shared = await makeHostile(await api.place());
});

it('every command is run', () => {
  expect(Object.keys(words).sort()).toEqual(Object.keys(commands).sort());
});

describe.each(Object.entries(words))('comanda %s', (name, call) => {
  it('prints no control of what callers chose, as lines and as JSON', async () => {
    const { prints, argv } = call(takesAway.includes(name) ? await makeHostile(await api.place()) : shared);
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
  const id = await api.make.location();
  await api.pool.query(`update locations set name = E'Bar\\nid  forged' where id = $1`, [id]);
  const { stdout } = await comanda('locations', 'show', id);
  expect(stdout).toMatch(/^name +Bar\\u000aid {2}forged$/m);
  expect(stdout).not.toMatch(/^id +forged/m);
});
