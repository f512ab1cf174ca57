import { z } from 'zod';

/** How many faults of an input are looked for and named. */
export const mostFaults = 10;

/** The bound of a list: a number of entries, or the key's `max_items_per_batch`. */
export type ListBound = number | 'max_items_per_batch';

/**
 * A list that callers give. Its length is compared with the bound before any entry is validated, and its validation ends
 * behind ten faults: what is refused costs no more than what is taken. The bound of a batch is the key's own, which
 * `refuseLargeBatch` compares.
 */
export function list<Element extends z.ZodType>(
  element: Element,
  most: ListBound,
  message = `must hold at most ${most} entries`,
): z.ZodArray<Element> {
  const made = new BoundedList({ type: 'array', element, most }) as unknown as z.ZodArray<Element>;
  return most === 'max_items_per_batch'
    ? made.meta({ description: 'At most `max_items_per_batch` of the key, 500 unless it has its own.' })
    : made.max(most, { error: message, abort: true });
}

/** The bound that a list was made with; undefined for any other schema. */
export function boundOf(schema: z.core.$ZodType): ListBound | undefined {
  return schema instanceof BoundedList ? (schema._zod.def as BoundedDefinition).most : undefined;
}

interface BoundedDefinition extends z.core.$ZodArrayDef {
  most: ListBound;
}

// zod validates every entry and then compares the length; `abortEarly` ends at one fault.
const BoundedList = z.core.$constructor<z.ZodArray, BoundedDefinition>('BoundedList', (made, definition) => {
  z.ZodArray.init(made, definition);
  const { element, most } = definition;
  const parseOther = made._zod.parse;
  made._zod.parse = (payload, context) => {
    const given: unknown = payload.value;
    if (!Array.isArray(given)) return parseOther(payload, context);
    // The check of `max`, which comes behind this, refuses it.
    if (typeof most === 'number' && given.length > most) return payload;
    const read: unknown[] = [];
    for (let index = 0; index < given.length && payload.issues.length <= mostFaults; index++) {
      const result = element._zod.run({ value: given[index], issues: [] }, context);
      if (result instanceof Promise) throw new Error('an entry of a list is validated at once');
      for (const issue of z.core.util.prefixIssues(index, result.issues)) payload.issues.push(issue);
      read.push(result.value);
    }
    payload.value = read;
    return payload;
  };
});
