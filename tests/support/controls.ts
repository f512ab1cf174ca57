const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => String.fromCharCode(from + index));

/** Every character that no terminal may get of a caller: what moves its cursor, gives it orders, or turns the direction of writing. */
export const controls: readonly string[] = [
  ...range(0x00, 0x1f),
  ...range(0x7f, 0x9f),
  '\u061c',
  ...range(0x200e, 0x200f),
  ...range(0x2028, 0x202e),
  ...range(0x2066, 0x2069),
];

/** Halves of surrogate pairs: text has none, JSON may. */
export const halves: readonly string[] = ['\ud800', '\udbff', '\udc00', '\udfff'];

/** How one is shown. */
export const codeOf = (mark: string): string => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Those that a text holds, as codes. Line breaks are between lines. */
export const controlsIn = (text: string): string[] =>
  [...new Set(text.split('\n').join(''))]
    .filter((mark) => controls.includes(mark) || halves.includes(mark))
    .map(codeOf);
