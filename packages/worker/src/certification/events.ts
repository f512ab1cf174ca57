import type { Run, Script } from './check.ts';
import { Unmet } from './endings.ts';
import { type CausedEvent, causedTypes, type Entry, type Result, type Sending } from './log.ts';
import { moveOf } from './orders.ts';
import { take, waitFor } from './steps.ts';

type Endpoint = NonNullable<Result<'find_endpoint'>['endpoint']>;

/** The endpoint of the integration. Throws `Unmet` when it has none, or it is not subscribed to the type. */
export function* findEndpoint(type?: string): Script<Endpoint> {
  const { endpoint } = yield* take({ name: 'find_endpoint' });
  if (endpoint === undefined) throw new Unmet('The location has no active webhook endpoint: register one.');
  if (type !== undefined && !endpoint.events.includes(type))
    throw new Unmet(`The endpoint is not subscribed to ${type}: change its events.`);
  return endpoint;
}

/** Caused events, and the number of the newest call before them. */
export interface Caused {
  events: readonly CausedEvent[];
  first: CausedEvent;
  last: CausedEvent;
  newest: number;
}

/** Causes events, if asked for while the endpoint is down. Throws `Unmet` when the sandbox has nothing for one. */
export function* cause(
  run: Run,
  types: readonly CausedEvent['type'][],
  how: { isDown?: true } = {},
): Script<Caused> {
  const { events, newest } = yield* take({ name: 'cause', types, ...how });
  for (const { id, type, about, name } of events)
    run.did(
      name === undefined
        ? `placed order ${about}, as a guest would: ${type} ${id}`
        : `changed the price of ${name}: ${type} ${id}`,
    );
  const missing = types[events.length];
  if (missing !== undefined)
    throw new Unmet(
      missing === 'order.created'
        ? 'The sandbox has nothing that can be ordered: reset it (POST /v2/sandbox/reset).'
        : 'The sandbox has no product under a category: reset it (POST /v2/sandbox/reset).',
    );
  const [first, last] = [events.at(0), events.at(-1)];
  if (first === undefined || last === undefined) throw new Error('no event was to be caused');
  return { events, first, last, newest };
}

/** The type of the events that a run causes at an endpoint. Throws `Unmet` when it is subscribed to none. */
export function causedType({ does }: Run, endpoint: Endpoint): CausedEvent['type'] {
  if (does.takes_orders) return 'order.created';
  const type = causedTypes.find((each) => endpoint.events.includes(each));
  if (type === undefined)
    throw new Unmet(`Subscribe the endpoint to one of ${causedTypes.join(', ')}: a run causes these.`);
  return type;
}

/** Waits until an integration that takes orders has moved the one that the event is about; at most half a minute. */
export function* untilHandled(run: Run, { first, newest }: Caused): Script {
  if (first.type !== 'order.created' || !run.does.takes_orders) return;
  const wait = { action: 'send_statuses', text: 'An order was placed: send a status of it.' } as const;
  yield* waitFor({
    ...wait,
    seconds: 30,
    since: newest,
    look: ({ calls }) => moveOf(calls, first.about),
  });
}

/** Sends an event to the endpoint; `how` completes the sentence of the report. */
export function* send(run: Run, sending: Sending, how: string): Script<Entry<'send'>> {
  const sent = yield* take({ name: 'send', ...sending });
  run.did(`sent ${sent.type} ${sent.id}${how}`);
  run.saw(`the endpoint answered ${sent.type} ${sent.id} with ${answerOf(sent)}`);
  return sent;
}

/** An endpoint's answer, in words. */
export const answerOf = ({ answer: { responseCode, error } }: Entry<'send'>): string =>
  responseCode === undefined ? (error ?? 'nothing') : String(responseCode);
