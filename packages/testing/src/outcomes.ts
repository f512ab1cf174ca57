import { carried, type Detail } from '@comanda/api/carried';
import { errorCodes, type ReasonRow, readReasons } from '@comanda/api/reasons';
import type { ErrorCode, ErrorReason, NoAnswer } from '@comanda/client';
import type { Outcome, RefusalData } from './stub.ts';

/**
 * The content of a refusal. All but `reason` can be left out: the rest is then as the service has it for that reason.
 */
export interface Refusal {
  reason: ErrorReason;
  code?: ErrorCode | undefined;
  httpStatus?: number | undefined;
  /** The meaning of the reason, in one sentence, by default. */
  message?: string | undefined;
  /** Empty unless given. */
  fields?: readonly { path: string; message: string }[] | undefined;
  resourceId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  etag?: string | undefined;
  /** ISO 8601. */
  since?: string | undefined;
  requestId?: string | undefined;
}

/**
 * A refusal of the service, for an answer function to throw; `comandaError` reads it. Code, status and message are those of
 * its reason, and what such a refusal always carries is filled in, such as `resourceId` of `external_id_taken`.
 *
 * @throws {TypeError} for a reason that this version does not have, without a `code`.
 *
 * @example
 * fakeClient({ 'orders.cancel': () => { throw refusal({ reason: 'illegal_move' }); } });
 */
export function refusal({ requestId = 'fake', ...given }: Refusal): Error {
  const row: ReasonRow | undefined = Object.hasOwn(readReasons, given.reason)
    ? readReasons[given.reason]
    : undefined;
  const code = given.code ?? row?.code;
  if (code === undefined)
    throw new TypeError(`the reason ${given.reason} is unknown here: give its code as well`);
  const httpStatus = given.httpStatus ?? row?.status ?? errorCodes[code].status;
  const { message = row?.meaning ?? `refused: ${given.reason}`, ...said } = given;
  const filled = { ...detailOf(given.reason), ...defined(said) };
  const data = { fields: [], requestId, ...filled, code, httpStatus };
  return Object.assign(new Error(message), { name: 'TRPCClientError', data });
}

/** A value of each detail that refusals of some reasons always carry. */
const details: Readonly<{ [Name in Detail]: () => RefusalData[Name] }> = {
  resourceId: () => '01935a3e-0000-7000-8000-00000000000f',
  etag: () => '"changed"',
  since: () => new Date().toISOString(),
  retryAfterSeconds: () => 1,
};

function detailOf(reason: ErrorReason): Partial<RefusalData> {
  const byReason: Partial<Record<ErrorReason, Detail>> = carried;
  const name = byReason[reason];
  return name === undefined ? {} : { [name]: details[name]() };
}

const defined = (given: object): object =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

/** No answer of the service, for an answer function to throw. */
export class Unanswered extends Error {
  override name = 'Unanswered';
  readonly kind: NoAnswer;
  readonly done: { value: unknown } | undefined;

  constructor(kind: NoAnswer, done: { value: unknown } | undefined) {
    super(`no answer: ${kind}`);
    this.kind = kind;
    this.done = done;
  }
}

/**
 * That no answer comes, for an answer function to throw: the call fails at once with an error of which `noAnswer` says
 * `kind`. With `done` the work was done even so, and its answer lost: a repeat with the same idempotency key gets it.
 *
 * @example
 * throw unanswered('timeout', { done: order });
 */
export function unanswered(kind: NoAnswer, { done }: { done?: object | undefined } = {}): Error {
  return new Unanswered(kind, done && { value: done });
}

interface Marks {
  replayed?: true;
  etag?: string;
}

const marks = new WeakMap<object, Marks>();

/** The answer as that of an earlier call with the same idempotency key: `wasReplayed` says so. Of mutations alone. */
export const replayed = <Answer extends object>(answer: Answer): Answer => marked(answer, { replayed: true });

/** The answer with an entity tag, quotes included, which `tagOf` reads. */
export const tagged = <Answer extends object>(answer: Answer, etag: string): Answer =>
  marked(answer, { etag });

function marked<Answer extends object>(answer: Answer, mark: Marks): Answer {
  const copy = { ...answer };
  marks.set(copy, { ...marks.get(answer), ...mark });
  return copy;
}

/** The result of an answer function. @internal */
export async function outcomeOf(answer: () => unknown): Promise<Outcome> {
  try {
    const value = await answer();
    if (value === undefined) return { failed: new Error('the answer of a fake client is undefined') };
    return { value, ...(typeof value === 'object' && value !== null && marks.get(value)) };
  } catch (error) {
    if (error instanceof Unanswered) return { failed: error, done: error.done };
    const data = refusalData(error);
    return data === undefined ? { failed: error } : { refused: data };
  }
}

function refusalData(error: unknown): RefusalData | undefined {
  if (!(error instanceof Error) || error.name !== 'TRPCClientError' || !('data' in error)) return undefined;
  const data = error.data as RefusalData | undefined;
  return data && { ...data, message: error.message };
}
