import { isId } from '@comanda/db';
import type { Answer } from './answer.ts';
import type { CallContext } from './context.ts';
import type { NamedOperation } from './definition.ts';
import { takesIfMatch } from './operations.ts';
import { type NamedTags, noTag, type Precondition, refuseChanged, type TaggedTable } from './tags.ts';
import { tellIgnored } from './unknown-fields.ts';

/** The entity tags that a call is compared by. */
export interface ComparedTags {
  /** `If-Match` of a read: its answer must have one of these. */
  readonly ofAnswer?: string;
  /** Those of a write: it compares them itself, in its transaction. */
  readonly ofRow?: NamedTags;
}

const nothing: ComparedTags = {};

/**
 * The tags to compare a call by; `ifMatch` are those that it names. Throws `no_tag` where the resource has none; v1, which
 * never knew preconditions, ignores them there and says so. (docs/contract.md, Preconditions)
 */
export function comparedTags(
  ctx: CallContext,
  operation: NamedOperation,
  ifMatch: string | undefined,
): ComparedTags {
  const { kind, meta } = operation;
  const ifNoneMatch = kind === 'mutation' ? ctx.ifNoneMatch : undefined;
  // Nothing has a moment that it could be compared with (RFC 9110, 13.1.4).
  if (ctx.ifUnmodifiedSince && kind === 'mutation') passOver(ctx, 'If-Unmodified-Since');
  if (ifMatch === undefined && ifNoneMatch === undefined) return nothing;
  const isCompared = takesIfMatch(operation);
  // v1 has always ignored the header, and its callers may rely on that.
  const comparesNone = isCompared && ctx.apiVersion === 'v2';
  if (ifNoneMatch !== undefined && !comparesNone) passOver(ctx, 'If-None-Match');
  if (ifMatch !== undefined && kind === 'query' && (meta.tag !== undefined || meta.conditional))
    return { ofAnswer: ifMatch };
  if (ifMatch !== undefined && !isCompared) passOver(ctx, 'If-Match');
  return isCompared ? { ofRow: { ifMatch, ifNoneMatch: comparesNone ? ifNoneMatch : undefined } } : nothing;
}

/** Names in the answer a precondition that has no meaning there; throws `no_tag` where such an `If-Match` is refused. */
function passOver(ctx: CallContext, name: 'If-Match' | 'If-None-Match' | 'If-Unmodified-Since'): void {
  if (name === 'If-Match' && ctx.apiVersion === 'v2') throw noTag();
  tellIgnored(ctx, [name]);
}

/** The precondition of a write. Undefined where there is nothing to compare: `If-Match: *`, and an id without a row. */
export function preconditionOf(
  table: TaggedTable | undefined,
  input: unknown,
  { ifMatch: named, ifNoneMatch }: NamedTags,
): Precondition | undefined {
  const { id } = input as { id: string };
  const ifMatch = named?.trim() === '*' ? undefined : named;
  if (table === undefined || !isId(id) || (ifMatch === undefined && ifNoneMatch === undefined))
    return undefined;
  return { table, id, ifMatch, ifNoneMatch };
}

/** Throws `changed_since` where the answer of a read has none of the tags; its stream is closed then. */
export async function requireTagOfAnswer(ifMatch: string, answer: Answer<unknown>): Promise<void> {
  try {
    if (answer.etag !== undefined) refuseChanged(ifMatch, answer.etag);
  } catch (error) {
    if ('stream' in answer) await answer.stream.close();
    throw error;
  }
}
