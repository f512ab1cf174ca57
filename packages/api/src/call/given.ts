import { type Input, withMembers } from '../bodies/input.ts';
import { joined, type Pieces } from '../bodies/pieces.ts';
import { readJson } from '../bodies/read.ts';
import type { Caller } from '../credentials/credentials.ts';
import { invalid } from '../errors.ts';
import { uncodedTags } from './conditional.ts';
import type { OperationMeta } from './meta.ts';

/** The idempotency key of a call as its entrance found it, and its name for callers there. */
export interface GivenKey {
  name: 'Idempotency-Key' | 'idempotencyKey';
  key: unknown;
}

/** The input of a call, as far as its entrance knows it. It can pass to another thread. */
export interface Given {
  /** The body as it came, empty when there is none; or an input that the entrance has read. */
  body: Pieces | Input;
  /** Members of the input in addition to those of the body: the parameters of the path. */
  members: Record<string, string>;
  /** The idempotency key, where a header carries it; else the input's own member `idempotencyKey`. */
  key: GivenKey | 'in the input';
  /** Whether a name that an object has twice is refused. */
  isStrict: boolean;
}

/** The input of a call with what else the typed client has in it. */
export interface ReadGiven {
  input: Input;
  key: GivenKey;
  /** The tags that the typed client expects (`expected`); undefined where it expects none. */
  ifMatch: string | undefined;
}

/** An operation as far as its input is read by it. */
interface GivenTo {
  kind: 'query' | 'mutation';
  meta: Pick<OperationMeta, 'batch' | 'tag'>;
}

/** Reads the input of an admitted call. Throws what `readJson` throws, and `validation_error` for `expected` that is no text. */
export function readGiven(
  { body, members, key, isStrict }: Given,
  operation: GivenTo,
  { limits }: Pick<Caller, 'limits'>,
): ReadGiven {
  const { batch } = operation.meta;
  const input =
    'parts' in body
      ? readJson(joined(body), {
          kind: batch ? 'batch' : 'ordinary',
          mostItems: batch ? limits.maxItemsPerBatch : undefined,
          isStrict,
        })
      : body;
  if (key !== 'in the input') return { input: withMembers(input, members), key, ifMatch: undefined };
  return withoutOwn(input, operation);
}

/** An input of the typed client without what REST has in headers: the key, and the tag that a change of a resource expects. */
function withoutOwn({ value, exact, mayBeUnstorable }: Input, { kind, meta }: GivenTo): ReadGiven {
  if (!hasMembers(value) || !hasMembers(exact)) {
    const input = { value: value ?? {}, exact: exact ?? {}, mayBeUnstorable };
    return { input, key: { name: 'idempotencyKey', key: undefined }, ifMatch: undefined };
  }
  const takesTag = kind === 'mutation' && meta.tag !== undefined;
  const { key, expected, rest } = taken(value, takesTag);
  if (expected !== undefined && typeof expected !== 'string')
    throw invalid({ path: 'expected', message: 'must be text: an entity tag' });
  return {
    input: { value: rest, exact: exact === value ? rest : taken(exact, takesTag).rest, mayBeUnstorable },
    key: { name: 'idempotencyKey', key: kind === 'mutation' ? key : undefined },
    ifMatch: uncodedTags(expected),
  };
}

function taken({ idempotencyKey: key, ...rest }: Record<string, unknown>, takesTag: boolean) {
  if (!takesTag) return { key, expected: undefined, rest };
  const { expected, ...others } = rest;
  return { key, expected, rest: others };
}

const hasMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
