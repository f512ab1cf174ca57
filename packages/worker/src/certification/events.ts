import { randomBytes } from 'node:crypto';
import { newId } from '@comanda/db';
import { openSecrets } from '../deliveries/open-secrets.ts';
import { webhookHeaders } from '../http/headers.ts';
import type { Attempt } from '../http/sender.ts';
import { Unmet } from './endings.ts';
import type { Run } from './run.ts';
import type { PublishedEvent, TestedEndpoint } from './statements.ts';
import * as sql from './statements.ts';

/** An event that the run has caused, and the id of what it is about. */
export interface CausedEvent extends PublishedEvent {
  about: string;
}

/** The types of events that a run can cause, the first one first. */
const causes = {
  'catalog.updated': changeCatalog,
  'product.updated': (run: Run) => changeCatalog(run, 'product.updated'),
  'order.created': placeOrder,
} as const;

/** Causes an event that the endpoint is subscribed to. @throws {Unmet} when there is none that a run can cause. */
export function causeEvent(run: Run, endpoint: TestedEndpoint): Promise<CausedEvent> {
  if (run.does.takes_orders) return placeOrder(run);
  const type = (Object.keys(causes) as (keyof typeof causes)[]).find((each) =>
    endpoint.events.includes(each),
  );
  if (type === undefined)
    throw new Unmet(
      `Subscribe the endpoint to one of ${Object.keys(causes).join(', ')}: a run causes these.`,
    );
  return causes[type](run);
}

/** Places an order as a guest would, and gives the `order.created` of it. */
export async function placeOrder(run: Run): Promise<CausedEvent> {
  const { locationId, certificationId, tools } = run;
  const [before] = await tools.database.run(sql.newestNumber, [locationId]);
  const [order] = await tools.database.run(sql.placeOrder, [locationId, newId(), certificationId]);
  if (order === undefined)
    throw new Unmet('The sandbox has nothing that can be ordered: reset it (POST /v2/sandbox/reset).');
  const event = await published(run, before?.number ?? 0, 'order.created', order.id);
  run.did(`placed order ${order.id}, as a guest would: order.created ${event.id}`);
  return { ...event, about: order.id };
}

async function published(run: Run, behind: number, type: string, about: string): Promise<PublishedEvent> {
  const { locationId, tools } = run;
  const event = await run.waitFor({
    ...{ action: 'none', text: 'The change is published.', seconds: 30, since: 0 },
    look: async () => (await tools.database.run(sql.nextEvent, [locationId, behind, type, about]))[0],
  });
  if (event === undefined) throw new Error('the change was not published in time');
  return event;
}

/** Changes the price of a product, and gives the event of it. */
export async function changeCatalog(
  run: Run,
  type: 'catalog.updated' | 'product.updated' = 'catalog.updated',
): Promise<CausedEvent> {
  const { locationId, tools } = run;
  const [before] = await tools.database.run(sql.newestNumber, [locationId]);
  const [changed] = await tools.database.run(sql.changePrice, [locationId, run.certificationId]);
  if (changed === undefined)
    throw new Unmet('The sandbox has no product under a category: reset it (POST /v2/sandbox/reset).');
  const about = type === 'product.updated' ? changed.id : '';
  const event = await published(run, before?.number ?? 0, type, about);
  run.did(`changed the price of ${changed.name}: ${type} ${event.id}`);
  return { ...event, about: changed.id };
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

/** The event under another id, which no consumer has seen. */
export function underNewId(event: PublishedEvent): PublishedEvent {
  const id = newId();
  const renamed = (body: string) => body.replaceAll(event.id, id);
  return { ...event, id, body: renamed(event.body), bodyInV1: renamed(event.bodyInV1) };
}

/** An endpoint's answer, in words. */
export const answerOf = ({ responseCode, error }: Attempt): string =>
  responseCode === undefined ? (error ?? 'nothing') : String(responseCode);

/** Events while the endpoint is down; their deliveries are not made. */
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
