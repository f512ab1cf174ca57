import { counted } from './counted.ts';
import { shown } from './documents.ts';
import type { Invariant } from './invariant.ts';
import { money } from './money.ts';
import { schema } from './schema.ts';
import { told } from './told.ts';

/** What must always hold, in the order in which it is told and repaired: what guards the rest comes first. */
export const invariants: readonly Invariant[] = [...schema, ...counted, ...money, ...told, ...shown];
