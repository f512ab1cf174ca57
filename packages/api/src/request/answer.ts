import type { z } from 'zod';
import { invalid } from '../errors.ts';
import { prunedText } from '../families.ts';

/** What a service answers, whichever entrance asked: REST sends it, tRPC gives its value. */
export type Answer<Value> = Content<Value> & {
  /** The entity tag, quotes included: of the answer, or of the resource that it shows (`tag` and `conditional` of an operation). */
  readonly etag?: string;
  /** Where a list goes on: REST carries it in a `Link`. */
  readonly next?: NextPage;
  /** It is the answer of an earlier request with the same idempotency key. */
  readonly replayed?: boolean;
  /** It holds a secret: where it is stored for repeats, it is sealed. */
  readonly isSecret?: boolean;
  /** Its text is as the family of the caller shows it: nothing is left to take from it. */
  readonly isPruned?: true;
  /** It is given once: what a repeat is refused with (`conflict`), which is stored in its place. */
  readonly onRepeat?: string;
};

/** By which parameter the next page is asked for. */
export type NextPage = { cursor: string } | { offset: string };

type Content<Value> =
  | { readonly value: Value }
  /** The value's JSON text, sent as it is: a replay is byte for byte the same. */
  | { readonly text: string; readonly of?: Value }
  /** The value's JSON text in pieces, when it is too large to be held. */
  | { readonly stream: TextStream; readonly of?: Value }
  /** The caller has it already, by its entity tag. */
  | { readonly unchanged: true; readonly etag: string; readonly of?: Value };

/** Text that is made while it is sent. Whoever takes it closes it. */
export interface TextStream {
  /** The next piece; undefined at the end. Rejects when the rest cannot be made. */
  next(): Promise<string | undefined>;
  /** Lets go of what it is made from, at the end or before. May be called again. */
  close(): Promise<void>;
}

/**
 * The JSON text of an answer that is no stream, as the family of `output` shows it. Text of PostgreSQL goes out unread unless
 * it may hold a field of the other family; tests/support/documented.ts holds it against the schema.
 */
export function textOf(answer: Answer<unknown>, output: z.ZodType): string {
  if ('text' in answer) return answer.isPruned ? answer.text : prunedText(output, answer.text);
  if ('value' in answer) return JSON.stringify(output.parse(answer.value));
  throw new Error('an answer without a text');
}

/** Which part of a list a page is. */
export interface PagePlace {
  limit: number;
  offset: number;
  total: number;
}

/**
 * A page of a list, whose entries are the text of a JSON array. When its bytes ended it, `cut` is how many it has, and it
 * answers that as its `limit`: so `offset + limit` is where the list goes on, and fewer entries than `limit` are its end.
 */
export function answerPage<Page>(
  { data, total, cut }: { data: string; total: number; cut?: number | null } = { data: '[]', total: 0 },
  { limit, offset }: Omit<PagePlace, 'total'>,
): Answer<Page> {
  const place = { limit: cut ?? limit, offset, total };
  return { text: `{"data":${data},"pagination":${JSON.stringify(place)}}`, ...nextOf(place) };
}

/** Where the list goes on, when there is more. */
export function nextOf({ limit, offset, total }: PagePlace): { next?: NextPage } {
  const end = offset + limit;
  return end < total ? { next: { offset: String(end) } } : {};
}

/** JSON that a call of tRPC answers as it is: to parse a large one would hold up the event loop. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A stream that is answered as a whole is no larger than this: it is held, parsed and written anew. */
const mostWholeCharacters = 8 * 1024 ** 2;

const tooLargeAsWhole = {
  path: 'limit',
  message:
    'the answer would have more than 8 MiB: ask for fewer at once, or use REST, which sends it in pieces',
  reason: 'batch_too_large',
} as const;

/**
 * The value itself, for a caller in the same process. Throws `validation_error` for a stream that is too large to be held.
 */
export async function valueIn<Value>(answer: Answer<Value>): Promise<Value> {
  if ('value' in answer) return answer.value;
  if ('text' in answer) return JSON.parse(answer.text) as Value;
  if ('unchanged' in answer) throw new Error('nobody asked whether the answer has changed');
  const { stream } = answer;
  try {
    let text = '';
    for (let piece = await stream.next(); piece !== undefined; piece = await stream.next()) {
      text += piece;
      if (text.length > mostWholeCharacters) throw invalid(tooLargeAsWhole);
    }
    return JSON.parse(text) as Value;
  } finally {
    await stream.close();
  }
}
