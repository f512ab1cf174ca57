import { z } from 'zod';
import { invalid } from '../errors.ts';
import { prunedText } from '../families.ts';

/** The answer of a service, for both entrances: REST sends it, tRPC gives its value. */
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

/** The parameter that asks for the next page. */
export type NextPage = { cursor: string } | { offset: string };

type Content<Value> =
  | { readonly value: Value }
  /** The value's JSON text, sent as it is: a replay is byte for byte the same. */
  | { readonly text: string; readonly of?: Value }
  /** A value with a list that is too large to be held. */
  | { readonly stream: ListStream; readonly of?: Value }
  /** The caller has it already, by its entity tag. */
  | { readonly unchanged: true; readonly etag: string; readonly of?: Value };

/** An object that ends in a list, which is read while it is sent. The caller that takes it closes it. */
export interface ListStream {
  /** The members before the list. */
  readonly head: object;
  /** The name of the list. */
  readonly list: string;
  /** The JSON texts of its entries, as they are read. Rejects when the rest cannot be. */
  readonly entries: AsyncGenerator<readonly string[], undefined>;
  /** Lets go of what it is read from, at the end or before. May be called again. */
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

/** The JSON text of a stream in pieces, as the family of `output` shows it. */
export async function* piecesOf(
  { head, list, entries }: ListStream,
  output: z.ZodType,
): AsyncGenerator<string, undefined> {
  const schema = output instanceof z.ZodObject ? output.shape[list] : undefined;
  if (!(schema instanceof z.ZodArray)) throw new Error(`the answer has no list ${list}`);
  let before = `${JSON.stringify(head).slice(0, -1)},"${list}":[`;
  for await (const texts of entries) {
    yield before + texts.map((text) => prunedText(schema.element, text)).join(',');
    before = ',';
  }
  yield `${before === ',' ? '' : before}]}`;
  return undefined;
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

/** A stream that is answered as a whole is no larger than this, as it is held. */
const mostWholeCharacters = 8 * 1024 ** 2;

const tooLargeAsWhole = {
  path: 'limit',
  message:
    'the answer would have more than 8 MiB: ask for fewer at once, or use REST, which sends it in pieces',
  reason: 'batch_too_large',
} as const;

/** The value itself, for a caller in the same process. */
export async function valueIn<Value>(answer: Answer<Value>): Promise<Value> {
  if ('value' in answer) return answer.value;
  if ('text' in answer) return JSON.parse(answer.text) as Value;
  throw new Error('an answer without a value');
}

/**
 * The JSON text of a stream, which it closes, as the family of `output` shows it. Throws `validation_error` for one that is
 * too large to be held.
 */
export async function wholeText(stream: ListStream, output: z.ZodType): Promise<string> {
  try {
    let text = '';
    for await (const piece of piecesOf(stream, output)) {
      text += piece;
      if (text.length > mostWholeCharacters) throw invalid(tooLargeAsWhole);
    }
    return text;
  } finally {
    await stream.close();
  }
}
