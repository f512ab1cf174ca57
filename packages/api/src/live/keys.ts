import { again, type Loop, startLoop } from '@comanda/db';
import type { Caller, Credentials } from '../credentials/credentials.ts';
import { type ApiError, toApiError } from '../errors.ts';
import type { Reader } from './reader.ts';

/** An open stream, as far as its key is concerned. */
export interface KeyedStream {
  readonly reader: Pick<Reader, 'end'>;
  /** The header that the key came in. */
  readonly authorization: string | undefined;
  /** The outcome for a stream with its key as it is now: it goes on, has ended (a reader that connects again gets another), or ends with a refusal. */
  judge(key: Caller): 'goes on' | 'over' | ApiError;
}

const restMs = 60_000;

/**
 * Looks each `everyMs` at the keys of open streams, and ends the streams whose key is not valid any more or sees other types. A look
 * that fails for another reason is made again the next time. While no stream is open it rests: whoever opens one wakes it.
 */
export function startKeyLooks(
  open: ReadonlySet<KeyedStream>,
  credentials: Pick<Credentials, 'authenticate'>,
  everyMs: number,
): Loop {
  return startLoop({
    async round() {
      await Promise.all(
        [...byKey(open)].map(([authorization, streams]) => lookAt(authorization, streams, credentials)),
      );
      return again(open.size > 0 ? everyMs : restMs);
    },
    firstRestMs: everyMs,
    ref: false,
  });
}

function byKey(open: ReadonlySet<KeyedStream>): Map<string | undefined, KeyedStream[]> {
  const found = new Map<string | undefined, KeyedStream[]>();
  for (const stream of open) {
    const known = found.get(stream.authorization);
    if (known === undefined) found.set(stream.authorization, [stream]);
    else known.push(stream);
  }
  return found;
}

async function lookAt(
  authorization: string | undefined,
  streams: readonly KeyedStream[],
  credentials: Pick<Credentials, 'authenticate'>,
): Promise<void> {
  try {
    const key = await credentials.authenticate(authorization);
    for (const stream of streams) {
      const judged = stream.judge(key);
      if (judged !== 'goes on') stream.reader.end(judged === 'over' ? undefined : judged);
    }
  } catch (error) {
    const refusal = toApiError(error);
    if (refusal.status === 401 || refusal.reason === 'location_disabled' || refusal.reason === 'moved')
      for (const { reader } of streams) reader.end(refusal);
  }
}
