import type { CertificationAction, CheckName } from '@comanda/api/services';
import type { Call } from './statements.ts';

/** The types of events that a run can cause, the first one first. */
export const causedTypes = ['catalog.updated', 'product.updated', 'order.created'] as const;

/** An event that a run caused by placing an order, or by changing the price of a product. */
export interface CausedEvent {
  id: string;
  type: (typeof causedTypes)[number];
  /** The id of the order or the product. */
  about: string;
  /** The name of the product. */
  name?: string;
}

/** How an event is sent to the endpoint. */
export interface Sending {
  /** A caused event; a `webhook.test` unless given. */
  eventId?: string;
  /** Under another id, which no consumer has seen. */
  isRenamed?: boolean;
  /** Signed with a secret that is not the endpoint's. */
  isForged?: boolean;
  /** Signed so many seconds ago. */
  agedSeconds?: number;
  /** Listed among the deliveries of the endpoint. */
  isListed?: boolean;
}

/** A wait for the integration. */
export interface Wait {
  /** The step for a person; `none` where the program goes on by itself. */
  action: CertificationAction;
  text: string;
  seconds: number;
  /** The calls behind this number count; unless given, those that come during the wait. */
  since?: number;
  /** A sync job whose end counts. */
  jobId?: string;
  /** An event whose delivery counts. */
  eventId?: string;
}

/** The calls that a wait saw, and how its job and its event ended. */
export interface Seen {
  calls: Call[];
  /** When the job ended; the database measures this and the times of the calls. */
  jobEndedMs?: number;
  isDelivered?: boolean;
}

/** A step of the service, which `run.ts` does when a check yields it. */
export type Step =
  | { name: 'find_endpoint' }
  /** The faults are played in this order, on the next calls of the operations. */
  | { name: 'play_faults'; faults: readonly string[]; operations: readonly string[] }
  /** Causes events in turn. While the endpoint is down, no delivery of them is made. */
  | { name: 'cause'; types: readonly CausedEvent['type'][]; isDown?: true }
  | ({ name: 'send' } & Sending)
  /** Records five failed attempts to deliver the event. */
  | { name: 'fail_delivery'; eventId: string }
  /** Cancels the order of this id, or the order that this request placed. */
  | { name: 'cancel_order'; orderId?: string; placedBy?: string }
  /** Makes so many products, which are removed when the check has ended. */
  | { name: 'make_products'; count: number }
  /** Waits for so many seconds, or until `isOver` holds. */
  | ({ name: 'wait'; isOver?(seen: Seen): boolean } & Wait)
  /** Waits until the integration has been quiet for two seconds, at most ten: one that polls never is. */
  | { name: 'settle' };

interface Results {
  find_endpoint: { endpoint?: { url: string; events: string[] } };
  play_faults: object;
  /** Fewer events than types when the sandbox has nothing to order or to change. */
  cause: { events: CausedEvent[] };
  send: { id: string; type: string; answer: { ok: boolean; responseCode?: number; error?: string } };
  fail_delivery: object;
  /** No order when it had ended. */
  cancel_order: { order?: { id: string; number: number } };
  make_products: { ids: string[] };
  wait: Seen;
  settle: object;
}

/** The name of a step. */
export type StepName = Step['name'];

/** The step of this name. */
export type StepOf<Name extends StepName> = Extract<Step, { name: Name }>;

/** The result of a step of this name. */
export type Result<Name extends StepName> = Results[Name];

/** A step as a log has it: without the text for a person. */
export type StepData = { name: StepName } & Readonly<Record<string, unknown>>;

/** A step that was done, and its result. */
export type Entry<Name extends StepName = StepName> = {
  [Each in Name]: {
    check: CheckName;
    step: StepData & { name: Each };
    /** The number of the newest call when the step began. */
    newest: number;
    /** When the step ended, as answers show it. */
    at: string;
  } & Results[Each];
}[Name];

/** All steps of a run, in their order. A verdict depends on nothing else. */
export type Log = readonly Entry[];

/** The data of a step: neither its text nor its functions. */
export function dataOf(step: Step): StepData {
  const { text: _text, isOver: _isOver, ...data } = { text: '', isOver: undefined, ...step };
  return data;
}
