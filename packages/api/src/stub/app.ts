import type { App } from '../call/context.ts';
import { claim, type KnownKey } from '../call/idempotency.ts';
import { bounds } from '../capacity/bounds.ts';
import { AnswerBytes } from '../capacity/bytes.ts';
import { Count } from '../capacity/counts.ts';
import type { Caller } from '../credentials/credentials.ts';
import { defaultLimits } from '../credentials/default-limits.ts';
import { toApiError } from '../errors.ts';
import type { Reason } from '../reasons.ts';

/** A placeholder for every part that a stub does not have: every use of it throws. */
const beyond = new Proxy(() => {}, {
  get: (_, name) => (name === 'then' ? undefined : beyond),
  apply: () => {
    throw new Error('a stub has no database');
  },
}) as object as never;

const location = {
  id: '01935a3e-0000-7000-8000-000000000001',
  code: 'FAKE0',
  name: 'Fake',
  currency: 'USD',
  timezone: 'UTC',
  createdAt: new Date(0),
  sandbox: false,
  status: 'active' as const,
};

/** The caller of every request, with the limits of a key that has none of its own. */
export const stubCaller = (permissions: readonly string[]): Caller => ({
  apiKeyId: '01935a3e-0000-7000-8000-000000000002',
  keyName: 'fake',
  locationId: location.id,
  location,
  granted: new Set(permissions),
  limits: defaultLimits,
  allEventTypes: false,
});

/** Checks that depend on stored rows: a stub accepts any text as an id or a cursor. */
const ofState: ReadonlySet<Reason> = new Set<Reason>([
  ...(['not_found', 'unknown_product', 'unknown_category', 'unknown_reference'] as const),
  ...(['unknown_cursor', 'payment_method_unusable', 'source_key_unusable'] as const),
]);

/**
 * Does work as far as it needs no database. Throws refusals that come before the database, except those that depend
 * on stored rows.
 */
export async function workWithoutDatabase(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    const refusal = toApiError(error);
    if (refusal.status < 500 && !ofState.has(refusal.reason)) throw refusal;
  }
}

/**
 * An app without a database, whose calls are admitted by `caller`'s permissions alone. `knownKey` is what is known of an
 * idempotency key by the values of `claim`.
 */
export function createStubApp(caller: Caller, knownKey: (values: readonly unknown[]) => KnownKey[]): App {
  const run = async (statement: unknown, values: readonly unknown[]) => {
    if (statement === claim) return knownKey(values);
    throw new Error('a stub has no database');
  };
  // Work in a transaction may refuse before its first statement.
  const transaction = async (_: unknown, work: (tx: never, found: never[]) => unknown) => work(beyond, []);
  const own: Readonly<Record<string | symbol, unknown>> = { run, transaction };
  const database = new Proxy(beyond as object, { get: (_, name) => own[name] ?? beyond }) as never;
  const none = () => {};
  return {
    database,
    large: undefined,
    live: beyond,
    secrets: beyond,
    readiness: beyond,
    credentials: { authenticate: () => caller, close: async () => {} },
    limiter: {
      admit: () => ({}),
      batchHeaders: async () => ({}),
      close: async () => {},
      refuseUsedUp: async () => ({}),
      startBatch: async () => ({}),
      usage: beyond,
    },
    capacity: {
      calls: new Count(bounds.calls),
      slowCalls: new Count(bounds.calls),
      slots: { enter: () => none, close: none },
      answers: new AnswerBytes({ all: Number.POSITIVE_INFINITY, location: Number.POSITIVE_INFINITY }),
      callBatches: beyond,
      exports: beyond,
      bulkWrites: beyond,
      bodies: beyond,
      joinedReads: beyond,
      joinedWrites: beyond,
    },
    log: { info: none, warn: none, error: none } as never,
    metrics: { observe: none } as never,
    wakeRelay: none,
    clientAddress: () => undefined as never,
    deprecations: {},
    webhookSourceAddresses: [],
    policy: { idempotencyTtlHours: 168, webhookTargets: 'any', webhookAllowCidrs: [], app: 'on' },
  };
}
