import { newId } from '@comanda/db';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '../../packages/api/src/call/operations.ts';
import { type Entrance, entrancesOf, type Outcome } from '../contract/entrances.ts';
import { inputIn, isLookup, makeSubject, openKitchen } from '../contract/kitchen.ts';
import { useApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { locationTables, nobodys, snapshot, theirs, useNeighbour } from './neighbour.ts';

const entrances = operations.flatMap(entrancesOf);
const byId = entrances.filter(({ operation }) => 'id' in operation.input.shape);
const byName = entrances.filter(({ operation }) => isLookup(operation));

const api = useApi();
const neighbour = useNeighbour(api);
/** The neighbor's row that each operation is asked for. */
const subjects = new Map<Operation, string>();
let before: Record<string, string>;
beforeAll(async () => {
  for (const { operation } of byId)
    if (!subjects.has(operation)) subjects.set(operation, (await makeSubject(neighbour, operation)).id);
  before = await snapshot(api, neighbour.locationId);
});

const untouched = async () => expect(await snapshot(api, neighbour.locationId)).toEqual(before);

test('the neighbor has a row in every table of a location, so that nothing is compared with nothing', async () => {
  expect(Object.keys(before)).toEqual(await locationTables(api));
  const empty = Object.keys(before).filter((table) => before[table] === '');
  // Counts are folded in now and then, and a location that is here has not left.
  expect(empty.filter((table) => !['tallies', 'moved_locations'].includes(table))).toEqual([]);
});

describe("what is another location's does not exist, and is not touched", () => {
  test.each(byId)('$name by id', async ({ call, operation }) => {
    const own = await openKitchen(api);
    const input = await inputIn(own, operation);
    const asked = { ...input, id: subjects.get(operation) };
    // The same input that finds nothing there finds its own: the question was not refused for another reason.
    await compare(call, own.key, asked, { ...input, id: newId() });
    await untouched();
    const answer = await call(api.url, own.key, input);
    expect(answer.code, answer.message).toBeUndefined();
    await untouched();
  });

  test.each(byName)('$name by name', async ({ call, operation }) => {
    const own = await openKitchen(api);
    await compare(call, own.key, { external_id: theirs }, { external_id: nobodys });
    const { externalId } = await makeSubject(own, operation);
    expect((await call(api.url, own.key, { external_id: externalId })).code).toBeUndefined();
    expect((await call(api.url, neighbour.key, { external_id: theirs })).code).toBeUndefined();
    await untouched();
  });
});

describe('no answer shows anything of another location', () => {
  const today = new Date().toISOString().slice(0, 10);

  test.each(entrances)('$name', async ({ call, operation }) => {
    const own = await openKitchen(api);
    const input = await inputIn(own, operation);
    if ('from' in operation.input.shape) Object.assign(input, { from: today, to: today });
    if (operation.isList) input.limit = 200;
    if (operation.name === 'turns.open') await closeTurn(own.locationId);
    const { text, code, message } = await call(api.url, own.key, input);
    expect(code, message).toBeUndefined();
    const ids = new Set(Object.values(before).join('\n').match(uuid));
    expect(ids.size).toBeGreaterThan(20);
    const known = new Set(JSON.stringify(input).match(uuid));
    const shown = [...new Set(text.match(uuid))].filter((id) => ids.has(id) && !known.has(id));
    expect(shown).toEqual([]);
    expect(text).not.toContain(theirs);
    await untouched();
  });
});

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Both are a 404 with the same bytes and headers, except for the request's own id and the counters of requests. */
async function compare(
  call: Entrance['call'],
  key: string,
  elsewhere: Record<string, unknown>,
  missing: Record<string, unknown>,
): Promise<void> {
  const answers = [await call(api.url, key, elsewhere), await call(api.url, key, missing)];
  for (const { status, code } of answers)
    expect({ status, code }).toEqual({ status: 404, code: 'resource_not_found' });
  expect(seen(answers[0])).toEqual(seen(answers[1]));
}

async function closeTurn(locationId: string): Promise<void> {
  await api.prisma.turn.updateMany({ where: { locationId }, data: { status: 'closed' } });
}

const counting = /^(date|x-request-id|x-ratelimit-(batch-)?(remaining|reset))$/;

function seen(outcome: Outcome | undefined) {
  const { text = '', requestId = '', headers = new Headers() } = outcome ?? {};
  return {
    body: text.replaceAll(requestId, '<request>'),
    headers: [...headers].filter(([name]) => !counting.test(name)),
  };
}
