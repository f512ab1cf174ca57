// The rules of texts that PostgreSQL and the service share (docs/contract.md, Text).

/** The characters that show as nothing, in a class of a pattern: those that JavaScript trims. PostgreSQL reads the class the same. */
export const blankCharacters = '\\s\\u00A0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000\\uFEFF';

/** SQL: whether a text has no visible character; null for null. */
export const isBlankSql = (text: string): string => `${text} !~ '[^${blankCharacters}]'`;

/** SQL: whether a text begins or ends with a blank; null for null. */
export const hasBlankEndSql = (text: string): string =>
  `${text} ~ '^[${blankCharacters}]|[${blankCharacters}]$'`;

/**
 * A pattern of the identifiers that no other text equals after normalization: ASCII without `K`, `;` and a backtick, which are the NFC of
 * other characters. The unique indexes over NFC leave them out, so that an ordinary identifier costs nothing there.
 */
export const plainIdentifier = '^[ -:<-JL-_a-~]*$';

/** The tables whose rows have the identifiers of callers. */
export type IdentifiedTable = 'categories' | 'orders' | 'products';

/**
 * SQL: the id of the row of a location that has this identifier, else of the row that has it in another normalization form; null where none
 * has it. The second look-up is for identifiers alone that can have another form.
 */
export function identified(
  table: IdentifiedTable,
  column: 'external_id' | 'sku',
  location: string,
  value: string,
): string {
  const rows = `select n.id from ${table} n where n.location_id = ${location}`;
  return `coalesce((${rows} and n.${column} = ${value}), (${rows} and ${value} !~ '${plainIdentifier}'
       and n.${column} !~ '${plainIdentifier}' and normalize(n.${column}, nfc) = normalize(${value}, nfc)
     order by n.${column}_twin limit 1))`;
}
