import {
  type ComandaClient,
  type ComandaEventOf,
  createClient,
  type EventType,
  type Grant,
} from '@comanda/client';
import { asThrown, createNetwork, type FakeCall } from './fake-fetch.ts';
import { createFeed } from './feed.ts';
import { outcomeOf } from './outcomes.ts';
import type { Procedure, ProcedureInput, ProcedureOutput } from './procedures.ts';
import { type CreateStub, loadStub } from './stub.ts';
import type { TestEvent } from './test-event.ts';

/**
 * The answers of a fake, by procedure: a function of the input as the service reads it, in which defaults are filled
 * in. An error that it throws is thrown by the call; `refusal` and `unanswered` make those of the service and the
 * network.
 */
export type FakeAnswers = {
  [Path in Procedure]?: (
    input: ProcedureInput<Path>,
  ) => ProcedureOutput<Path> | Promise<ProcedureOutput<Path>>;
};

/** The caller; everything can be left out. */
export interface FakeOptions {
  /** Of its key; everything (`*`) unless given. A call without the permission is refused, as the service does. */
  permissions?: readonly Grant[] | undefined;
  /** How long a call may take, in milliseconds; 30,000 unless given. */
  timeoutMs?: number | undefined;
}

/** A client of a service that has no database, and what a test does with it. */
export interface FakeClient {
  client: ComandaClient;
  /** The calls that were sent, in their order, refused ones included. */
  calls: FakeCall[];
  /**
   * Publishes an event: `events.watch` gives it, and `events.list`, unless that has an answer of the test's own. Answers it
   * whole.
   */
  emit<Type extends EventType>(event: TestEvent<Type>): ComandaEventOf<Type>;
  /** Breaks streams and calls under way, and lets no other come about, until `reconnect`. */
  disconnect(): void;
  reconnect(): void;
}

/**
 * A client for unit tests: the real one, without a network. Each call is checked as the service checks it, by the same code,
 * and refused in the same words; then it answers what the test says, typed as the service's answer is. A repeat with the
 * same idempotency key gets the first answer. The client repeats nothing by itself.
 *
 * It keeps nothing else: what depends on what is there (an id that is unknown, a move that is illegal, a filter), the
 * test says itself, or asks the service of `startComanda`. A procedure without an answer throws, and says what to add.
 *
 * @example
 * const { client, calls, emit } = fakeClient({
 *   'payments.get': ({ id }) => ({ id, amount: 12.5, status: 'completed' }) as Payment,
 *   'orders.cancel': () => {
 *     throw refusal({ reason: 'illegal_move' });
 *   },
 * });
 */
export function fakeClient(
  answers: FakeAnswers,
  { permissions = ['*'], timeoutMs }: FakeOptions = {},
): FakeClient {
  const calls: FakeCall[] = [];
  const events = createFeed();
  const byPath = answers as Readonly<Record<string, ((input: unknown) => unknown) | undefined>>;
  const answer: Parameters<CreateStub>[0]['answer'] = async (path, input) => {
    const given = Object.hasOwn(byPath, path) ? byPath[path] : undefined;
    if (given !== undefined) return outcomeOf(() => given(input));
    if (path === 'events.list') return undefined;
    const say = `add fakeClient({ '${path}': (input) => … })`;
    return { failed: new Error(`the fake client has no answer for ${path}: ${say}`) };
  };
  let stub: Promise<ReturnType<CreateStub>> | undefined;
  const { fetch, disconnect, reconnect } = createNetwork(async (request) => {
    stub ??= loadStub().then((createStub) => createStub({ permissions, answer, events }));
    return (await stub).fetch(request);
  }, calls);
  const service = { url: 'http://comanda.test', key: 'cmd_test_fake', fetch, timeoutMs };
  const client = asThrown(createClient({ ...service, retries: 0 }));
  return { client, calls, emit: events.emit, disconnect, reconnect };
}
