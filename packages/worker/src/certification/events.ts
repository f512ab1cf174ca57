import { randomBytes } from 'node:crypto';
import { newId } from '@comanda/db';
import { openSecrets } from '../deliveries/attempt.ts';
import { webhookHeaders } from '../http/headers.ts';
import type { Attempt } from '../http/sender.ts';
import { Unmet } from './check.ts';
import type { Run } from './run.ts';
import type { PublishedEvent, TestedEndpoint } from './statements.ts';
import * as sql from './statements.ts';

/** Changes the price of a product, and gives the `catalog.updated` that told it. */
export async function changeCatalog(run: Run): Promise<PublishedEvent> {
  const { locationId, tools } = run;
  const [before] = await tools.database.run(sql.newestNumber, [locationId]);
  const [changed] = await tools.database.run(sql.changePrice, [
    locationId,
    run.priceChanges % 2 === 0 ? 1 : -1,
  ]);
  if (changed === undefined)
    throw new Unmet('The sandbox has no product under a category: reset it (POST /v2/sandbox/reset).');
  run.priceChanges += 1;
  const event = await run.waitFor({
    ...{ action: 'none', text: 'The change is published.', seconds: 30, since: 0 },
    async look() {
      return (
        await tools.database.run(sql.nextEvent, [locationId, before?.number ?? 0, 'catalog.updated'])
      )[0];
    },
  });
  if (event === undefined) throw new Error('the change was not published in time');
  run.did(`changed the price of ${changed.name}: catalog.updated ${event.id}`);
  return event;
}

/** How an event is sent. */
export interface Sending {
  /** Signed with a secret that is not the endpoint's. */
  forged?: boolean;
  /** Signed so many seconds ago. */
  agedSeconds?: number;
}

/** Sends an event to the endpoint, as the service would. */
export function send(
  { locationId, tools }: Run,
  { id, url, apiVersion, secrets }: TestedEndpoint,
  event: PublishedEvent,
  { forged = false, agedSeconds = 0 }: Sending = {},
): Promise<Attempt> {
  const own = () => openSecrets(tools, { locationId, endpointId: id }, secrets);
  const body = apiVersion === 'v1' ? event.bodyInV1 : event.body;
  const headers = webhookHeaders({
    eventId: event.id,
    eventType: event.type,
    attempt: 1,
    timestampSeconds: Math.floor(Date.now() / 1_000) - agedSeconds,
    secrets: forged ? [`whsec_${randomBytes(32).toString('base64')}`] : own(),
    body,
    version: tools.version,
  });
  return tools.sender.send({ url, headers, body });
}

/** The event under another id: nobody has seen it. */
export function underNewId(event: PublishedEvent): PublishedEvent {
  const id = newId();
  const renamed = (body: string) => body.replaceAll(event.id, id);
  return { ...event, id, body: renamed(event.body), bodyInV1: renamed(event.bodyInV1) };
}

/** What an endpoint answered, in words. */
export const answerOf = ({ responseCode, error }: Attempt): string =>
  responseCode === undefined ? (error ?? 'nothing') : String(responseCode);

/** What happens while the endpoint is down; its deliveries are not made. */
export async function whileDown<Result>(
  run: Run,
  { id }: TestedEndpoint,
  work: () => Promise<Result>,
): Promise<Result> {
  const { database } = run.tools;
  const place = [run.locationId, run.certificationId, id];
  await database.run(sql.holdEndpoint, place);
  try {
    return await work();
  } finally {
    await database.run(sql.releaseEndpoint, place);
  }
}
