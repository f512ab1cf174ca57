/** A text as one word of a shell, whatever it holds. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
