import { randomUUID } from 'node:crypto';
import express from 'express';
import { expect, test } from 'vitest';
import type { RequestContext } from '../../packages/api/src/call/context.ts';
import { trpcAdapter } from '../../packages/api/src/http/trpc/adapter.ts';
import { appRouter } from '../../packages/api/src/router.ts';
import { useApi } from '../support/api.ts';
import { operations, strictly } from '../support/documented.ts';
import { listening } from '../support/listening.ts';
import { useClosed } from '../support/use.ts';
import { trpcEntrance } from './entrances.ts';
import { openKitchen, writeIn } from './kitchen.ts';

// The service answers calls of tRPC past tRPC's own server. Its procedures are procedures even so.

const api = useApi();
const mounted = useClosed(async () => {
  const site = express();
  site.use('/trpc', trpcAdapter(api.app, appRouter));
  return listening(site);
});

test.each(operations)("tRPC's own Express adapter serves $name", async (operation) => {
  const kitchen = await openKitchen(api);
  const input = { ...(await writeIn(kitchen, operation)), ...keyFor(operation) };
  const answer = await trpcEntrance(operation).call(mounted.url, kitchen.key, input);
  expect(answer.message).toBeUndefined();
  expect(strictly(operation.output).safeParse(answer.value).error).toBeUndefined();
});

test.each(operations)('createCaller serves $name', async (operation) => {
  const kitchen = await openKitchen(api);
  const input = { ...(await writeIn(kitchen, operation)), ...keyFor(operation) };
  const value = await callerFor(kitchen.key)(operation.name, input);
  expect(strictly(operation.output).safeParse(value).error).toBeUndefined();
});

test('createCaller throws the refusal', async () => {
  await expect(callerFor('none')('orders.list', {})).rejects.toMatchObject({ reason: 'key_not_valid' });
});

const keyFor = ({ kind }: { kind: string }) => (kind === 'mutation' ? { idempotencyKey: randomUUID() } : {});

function callerFor(key: string): (name: string, input: object) => Promise<unknown> {
  const context: RequestContext = {
    app: api.app,
    requestId: 'caller',
    startedAt: performance.now(),
    apiVersion: 'v2',
    authorization: `Bearer ${key}`,
    cut: () => {},
    headers: {},
  };
  return async (name, input) => {
    let found: unknown = appRouter.createCaller(context);
    for (const part of name.split('.')) found = (found as Record<string, unknown>)[part];
    return (found as (input: object) => Promise<unknown>)(input);
  };
}
