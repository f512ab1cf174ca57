/** The message about an error. */
export const sentence = (error: unknown): string => (error instanceof Error ? error.message : String(error));
