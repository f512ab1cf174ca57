import { blankCharacters, plainIdentifier } from '@comanda/db';
import { codePoints, ExternalId, Label, text } from './wire.ts';

// The texts of the catalog. Identifiers stay as they are sent, names and descriptions are kept in NFC (docs/contract.md, Text).

const visible = new RegExp(`[^${blankCharacters}]`);
const blankEnd = new RegExp(`^[${blankCharacters}]|[${blankCharacters}]$`);

/** More combining marks in a row than any script has; Unicode's stream-safe text has the same bound. */
const manyMarks = /\p{M}{31}/u;

const isVisible = (given: string): boolean => visible.test(given);

/** Why a text of blanks is refused. */
const blankRefused = 'must have a visible character, not only blanks';

/** Why an identifier of something new is refused. */
export const blankEndRefused = 'must not begin or end with a blank';

/** Whether a text begins or ends with a blank. */
export const hasBlankEnd = (given: string): boolean => blankEnd.test(given);

/** The form in which identifiers are compared. */
export const formOf = (given: string): string => given.normalize('NFC');

const plain = new RegExp(plainIdentifier);

/** Whether no other text is the same identifier. */
export const isPlain = (given: string): boolean => plain.test(given);

/** Whether two identifiers are one: they differ in normalization alone. */
export const areSame = (one: string, other: string): boolean => formOf(one) === formOf(other);

/** A text that is kept in NFC, and has its bounds before and after that. */
const composed = (shortest: number, longest: number) =>
  text(shortest, longest)
    .refine((given) => !manyMarks.test(given), {
      error: 'must not have more than 30 combining marks in a row',
    })
    // One that is refused is not composed: marks in a row take time by the square of their number.
    .overwrite((given) => (given.length <= 2 * longest && !manyMarks.test(given) ? formOf(given) : given))
    .refine((given) => codePoints(given) <= longest, { error: `must have at most ${longest} characters` });

/** A name: 1 to 255 characters, not only blanks. */
export const Name = composed(1, 255)
  .refine(isVisible, { error: blankRefused })
  .meta({ description: 'The name that people read.' });

/** A description. */
export const Description = composed(0, 10_000).meta({
  description: 'A text about it; empty where there is none.',
});

/** The caller's own identifier of something in the catalog. */
export const CatalogId = ExternalId.refine(isVisible, { error: blankRefused });

/** The same of something new. */
export const NewCatalogId = CatalogId.refine((given) => !hasBlankEnd(given), { error: blankEndRefused });

/** A sku. */
export const Sku = Label.refine(isVisible, { error: blankRefused });

/** The same of a new product. */
export const NewSku = Sku.refine((given) => !hasBlankEnd(given), { error: blankEndRefused });

/**
 * Finds the spelling of an identifier: of an exact match, else of the one that differs in normalization alone. One that is not among them is
 * remembered: a later form of it gets its spelling.
 */
export function spellingsOf(known: Iterable<string | null>): (given: string) => string {
  const exact = new Set<string>();
  const forms = new Map<string, string>();
  for (const spelling of known) {
    if (spelling === null) continue;
    exact.add(spelling);
    const form = formOf(spelling);
    if (spelling === form || !forms.has(form)) forms.set(form, spelling);
  }
  return (given) => {
    if (exact.has(given)) return given;
    const form = formOf(given);
    const spelling = forms.get(form);
    if (spelling !== undefined) return spelling;
    forms.set(form, given);
    return given;
  };
}
