import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, startServer } from '@comanda/api';
import { createLocation, issueKey } from '@comanda/api/services';
import { type Database, statement } from '@comanda/db';
import { pino } from 'pino';
import { exampleIds, exampleLocation } from '../../packages/api/src/documents/demo-examples.ts';
import type { Envelope, EventType } from '../../packages/api/src/resources/events/types.schema.ts';
import { wireTime } from '../../packages/api/src/wire.ts';
import { publishRound } from '../../packages/worker/src/relay/round.ts';
import { openScene, type Scene, type Step, story } from './story.ts';

/** A step and the bodies of its events, as published for v2, with ids and times that are the same every time. */
export interface RecordedStep {
  step: Step;
  events: Envelope[];
}

/** Plays the story on a migrated database without locations: the real service, the real triggers, the real relay. */
export async function recordStory(databaseUrl: string): Promise<RecordedStep[]> {
  const app = await createApp({
    databaseUrl,
    encryptionKey: randomBytes(32).toString('base64'),
    idempotencyTtlHours: 168,
    webhookTargets: 'any',
    webhookAllowCidrs: [],
    logLevel: 'silent',
  });
  const server = await startServer(app, { host: '127.0.0.1', port: 0 });
  const { database } = app;
  try {
    await createLocation(database, {
      name: exampleLocation.name,
      timezone,
      currency: exampleLocation.currency,
    });
    const { key } = await issueKey(database, { name: 'story', permissions: ['*'] });
    const scene = await openScene(server.url, key, database);
    const recorded: { step: Step; from: number; bodies: string[] }[] = [];
    for (const step of story) {
      const from = await startOfStep(database);
      await step.run(scene);
      recorded.push({ step, from, bodies: await publish(database) });
    }
    const neat = neatener(
      recorded.map(({ from }) => from),
      idsOf(scene),
    );
    return recorded.map(({ step, bodies }) => ({
      step,
      events: bodies.map((body) => JSON.parse(neat(step.title, body)) as Envelope),
    }));
  } finally {
    await server.drain(1_000);
    await app.close();
  }
}

/** The example of every type that the story shows, in the order of the story. */
export function examplesOf(recorded: readonly RecordedStep[]): Partial<Record<EventType, Envelope>> {
  return Object.fromEntries(
    recorded.flatMap(({ step, events }) =>
      step.shows.map((type) => [type, events.find((event) => event.type === type)]),
    ),
  );
}

const { timezone } = exampleLocation;
const storyBegins = Date.parse('2026-01-31T21:00:00-03:00');
const log = pino({ level: 'silent' });

/** The time by the database's clock, a little after all that went before: stored times are rounded to milliseconds. */
async function startOfStep(database: Database): Promise<number> {
  await sleep(5);
  const [row] = await database.run(readClock, []);
  return row?.now ?? 0;
}

/** Publishes the captured changes; returns the bodies of the new events in the order of their numbers. */
async function publish(database: Database): Promise<string[]> {
  const [before] = await database.run(lastNumber, []);
  while ((await publishRound(database, log)).changes > 0);
  const rows = await database.run(bodiesAfter, [before?.number ?? 0]);
  return rows.map(({ body }) => body);
}

/** The resources that the story shares with the other examples, with the id that they have there. */
const idsOf = ({ locationId, paymentMethodId, made }: Scene): readonly (readonly [string, string])[] => [
  [locationId, exampleLocation.id],
  [paymentMethodId, exampleIds.paymentMethod],
  [made.get('drinks') ?? '', exampleIds.category],
  [made.get('flat white') ?? '', exampleIds.product],
  [made.get('oat') ?? '', exampleIds.item],
];

/**
 * Gives every other id a fixed one, made of the step that shows it first and its place there, so that a step more changes no other;
 * and every time the minute of its step.
 */
function neatener(
  starts: readonly number[],
  known: readonly (readonly [string, string])[],
): (step: string, body: string) => string {
  const ids = new Map<string, string>(known);
  const places = new Map<string, number>();
  const idFor = (step: string, id: string) => {
    const known = ids.get(id);
    if (known !== undefined) return known;
    const place = (places.get(step) ?? 0) + 1;
    places.set(step, place);
    const hash = createHash('sha256').update(`${step} ${place}`).digest('hex');
    const made = `01935a3e-7c1f-7d2a-9b40-${hash.slice(0, 12)}`;
    ids.set(id, made);
    return made;
  };
  const timeFor = (time: string) => {
    const step = starts.findLastIndex((start) => start <= Date.parse(time)) + 1;
    return wireTime(new Date(storyBegins + step * 60_000), timezone);
  };
  return (step, body) =>
    body
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => idFor(step, id))
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d/g, timeFor);
}

const readClock = statement<{ now: number }>(
  'docs_clock',
  'select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now',
);

const lastNumber = statement<{ number: number }>(
  'docs_last_event',
  'select coalesce(max(number), 0)::int as number from events',
);

const bodiesAfter = statement<{ body: string }>(
  'docs_event_bodies',
  'select body from events where number > $1 order by number',
);
