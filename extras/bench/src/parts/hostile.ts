import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { issueKey } from '@comanda/api/services';
import { settled } from '../calls.ts';
import type { Figure } from '../figure.ts';
import { makePlace, tidy } from '../fill.ts';
import { type Attack, attacks, type Target } from '../hostile/attacks.ts';
import { openProbe, type Probe } from '../hostile/probe.ts';
import type { Part } from '../part.ts';
import type { Subject } from '../subject.ts';

/** The goal in ms where twice the figure alone is less. */
const leastMs = 100;
/** Connections on which a caller attacks. */
const usualLanes = 4;

/** Calls of a location next to a caller of another one that sends the dearest requests as often as its limits allow. */
export const hostile: Part = {
  name: 'hostile',
  summary: 'calls of a location next to a caller that sends the dearest requests that its key allows',
  rounds: 4,
  async open({ subject, small, log }) {
    const target = await makeTarget(subject, small ? 50 : 10_000);
    const own = await makePlace(subject, small ? 50 : 2_000);
    await tidy(subject);
    const [api] = await Promise.all([subject.startApi(), subject.startWorker()]);
    const probe = await openProbe(own, api.url);
    return async () => {
      const figures: Figure[] = [];
      for (const attack of attacks) {
        const figure = await meet(attack, { subject, probe, target, apiUrl: api.url, small });
        log(`${figure.work}: ${figure.value.toFixed(0)} ms; ${figure.note}`);
        figures.push(figure);
      }
      return figures;
    };
  },
};

async function makeTarget(subject: Subject, each: number): Promise<Target> {
  const place = await makePlace(subject, each);
  const { rows } = await subject.database.pool.query<{ id: string }>(
    'select id from categories where location_id = $1',
    [place.locationId],
  );
  return { ...place, categoryId: rows[0]?.id ?? '' };
}

interface Scene {
  subject: Subject;
  probe: Probe;
  target: Target;
  apiUrl: string;
  small: boolean;
}

async function meet(attack: Attack, scene: Scene): Promise<Figure> {
  const { subject, probe, small } = scene;
  const seconds = small ? 0.2 : 5;
  const alone = await probe(seconds);
  const attacker = await startAttack(attack, scene);
  await sleep(200);
  const met = probe(seconds);
  // It ends with the last call of the probe, however long the answers take.
  await sleep(seconds * 1_000);
  const answered = await attacker.end();
  const beside = await met;
  // The process finishes the last requests of the attacker before the next one begins.
  await probe(small ? 0.1 : 0.5);
  await settled(subject);
  const statuses = Object.entries(answered).map(([status, count]) => `${count} × ${status}`);
  const [failed] = beside.failures;
  return {
    work: `calls with ${attack.name}, p99`,
    value: beside.p99Ms,
    unit: ' ms',
    why: 'hostile.md',
    goal: { most: Math.round(Math.max(2 * alone.p99Ms, leastMs)) },
    note: `alone ${alone.p99Ms.toFixed(0)} ms; p50 ${beside.p50Ms.toFixed(0)} ms, alone ${alone.p50Ms.toFixed(0)} ms; answered ${statuses.join(', ') || 'none in time'}`,
    ...(failed !== undefined && {
      failed: `requests failed: ${beside.failures.length}, the first: ${failed}`,
    }),
  };
}

async function startAttack(
  { method, path, headers = {}, body, lanes = usualLanes }: Attack,
  { subject, target, apiUrl, small }: Scene,
): Promise<{ end(): Promise<Record<string, number>> }> {
  // A new key each time: it can spend the requests of its minute and the jobs of its hour at once.
  const { key } = await issueKey(subject.database, {
    name: 'hostile',
    permissions: ['*'],
    location_id: target.locationId,
  });
  const file = (name: string) => join(subject.directory, name);
  if (body !== undefined) writeFileSync(file('hostile-body'), body(target, small));
  const attacker = await subject.startAttacker({
    TARGET: JSON.stringify({ url: apiUrl, method, path, headers }),
    KEY: key,
    LANES: String(lanes),
    REPORT: file('hostile-report'),
    ...(body !== undefined && { BODY: file('hostile-body') }),
  });
  return {
    async end() {
      await attacker.stop();
      return JSON.parse(readFileSync(file('hostile-report'), 'utf8')) as Record<string, number>;
    },
  };
}
