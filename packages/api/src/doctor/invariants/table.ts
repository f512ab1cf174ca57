import { counted } from './counted.ts';
import type { Invariant } from './invariant.ts';
import { money } from './money.ts';
import { published } from './published.ts';
import { schema } from './schema.ts';
import { sellable } from './sellable.ts';
import { shown } from './shown.ts';
import { identifiers } from './twins.ts';

/** The invariants, in the order of their report and repair: those that guard the rest come first. */
export const invariants: readonly Invariant[] = [
  ...schema,
  ...counted,
  ...money,
  ...published,
  ...shown,
  ...sellable,
  identifiers,
];
