import { ApiError } from '../errors.ts';
import type { Reason } from '../reasons.ts';
import type { StubAnswer, StubRefusal } from './answers.ts';
import type { Done } from './keys.ts';

/** A request that gets no answer; `with` is what its `fetch` rejects with. */
export class Unanswered extends Error {
  override name = 'Unanswered';
  readonly with: unknown;

  constructor(failure: unknown) {
    super('no answer');
    this.with = failure;
  }
}

/** The meaning of a stub's answer for its call. Throws the refusal that it is, and `Unanswered`. */
export function answered(answer: StubAnswer | undefined): Done {
  if (answer === undefined) throw new Unanswered(new Error('there is no answer'));
  if ('refused' in answer) throw refusalOf(answer.refused);
  if ('value' in answer) {
    const { value, etag, replayed } = answer;
    return { text: JSON.stringify(value), etag, replayed };
  }
  if (answer.done === undefined) throw new Unanswered(answer.failed);
  return { text: JSON.stringify(answer.done.value), lost: answer.failed };
}

// By the table unless the test says otherwise: a test may play a reason of a later version.
function refusalOf({ reason, code, httpStatus, message, fields, ...more }: StubRefusal): ApiError {
  const { resourceId, retryAfterSeconds, etag, since } = more;
  const error = new ApiError('internal', message, {
    fields,
    headers: {
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
      ...(etag !== undefined && { ETag: etag }),
    },
    ...(resourceId !== undefined && { other: { collection: 'orders' as const, id: resourceId } }),
    ...(since !== undefined && { since: new Date(since) }),
  });
  return Object.assign(error, { reason: reason as Reason, errorCode: code, status: httpStatus });
}
