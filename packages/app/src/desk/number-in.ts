/** A number as a person types it, with a comma or a point, and either minus. */
export const numberIn = (text: string): number => Number(text.trim().replace(',', '.').replace('−', '-'));
