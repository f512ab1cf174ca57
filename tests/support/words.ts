/** The words of a text, which may be written over several lines: a list of names, values or paths that hold no space. */
export const words = (text: string): string[] => text.trim().split(/\s+/);
