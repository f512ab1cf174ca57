import { type beyondSentences, structureBounds } from './bounds.ts';

/** The structure of a body, as its bytes show it before they are parsed. For bytes that are no JSON it is arbitrary. */
export interface Structure {
  /** The bound that is exceeded, if one is: the first in the bytes. */
  readonly beyond: keyof typeof beyondSentences | undefined;
  /** Commas and opening brackets outside of text: as many values as the body holds, or more. */
  readonly values: number;
  /** The longest list among the body's own members, by the bytes of its name; undefined where there is none. */
  readonly longest:
    | { readonly nameFrom: number; readonly nameTo: number; readonly entries: number }
    | undefined;
  /** Whether text has `\u` escapes: without one, no text holds U+0000 or an unpaired surrogate. */
  readonly hasEscapes: boolean;
  /**
   * Positions of numbers that a double may not represent: for each the offset of its first byte, and the one behind
   * its last.
   */
  readonly unsureNumbers: readonly number[];
}

/** A number with fewer bytes than this, and without an exponent, is held by a double to the last digit. */
const unsureBytes = 16;

/**
 * Counts depth, members, names and lists in the bytes of a JSON text, and finds its long numbers, in one pass. Stops where a
 * bound is exceeded, or once there are more than `mostValues`.
 */
export function scanStructure(bytes: Uint8Array, mostValues: number): Structure {
  const { length } = bytes;
  const deepest = structureBounds.depth;
  // By depth: how many commas the container at it has had, and whether it is an object.
  const commas = new Int32Array(deepest + 2);
  const isObject = new Uint8Array(deepest + 2);
  const unsureNumbers: number[] = [];
  let beyond: Structure['beyond'];
  let depth = 0;
  let values = 0;
  let textFrom = 0;
  let textTo = 0;
  // Behind the last bracket, comma, colon or text: there a number begins, if one comes.
  let valueFrom = 0;
  let hasEscapes = false;
  let longest: Structure['longest'];
  let nameFrom = 0;
  let nameTo = 0;

  // No function is made here that reads these variables: they would be slower for it.
  scan: for (let at = 0; at < length; at++) {
    const byte = bytes[at] ?? 0;
    // Spaces, digits, points and signs are most of the bytes outside of text.
    if (byte < colon && byte !== quote && byte !== comma) continue;
    switch (byte) {
      case quote:
        textFrom = at + 1;
        for (at++; at < length && bytes[at] !== quote; at++)
          if (bytes[at] === backslash && bytes[++at] === letterU) hasEscapes = true;
        textTo = at;
        valueFrom = at + 1;
        break;
      case colon:
        valueFrom = at + 1;
        if (textTo - textFrom <= structureBounds.nameBytes) break;
        beyond = 'name';
        break scan;
      case letterE:
      case capitalE:
        // Of a number near 0, not of `true`: it is looked at as a long one is.
        if (bytes[at + 1] === minus) valueFrom = at - unsureBytes;
        break;
      case openObject:
      case openList:
        valueFrom = at + 1;
        if (++values > mostValues) break scan;
        if (++depth > deepest) {
          beyond = 'depth';
          break scan;
        }
        commas[depth] = 0;
        isObject[depth] = byte === openObject ? 1 : 0;
        if (depth === 2) {
          nameFrom = textFrom;
          nameTo = textTo;
        }
        break;
      case comma: {
        if (at - valueFrom >= unsureBytes) noteNumber(unsureNumbers, bytes, at);
        valueFrom = at + 1;
        if (++values > mostValues) break scan;
        const count = (commas[depth] ?? 0) + 1;
        commas[depth] = count;
        if (isObject[depth] === 0 || count < structureBounds.members) break;
        beyond = 'members';
        break scan;
      }
      case closeList:
      case closeObject:
        if (at - valueFrom >= unsureBytes) noteNumber(unsureNumbers, bytes, at);
        valueFrom = at + 1;
        if (byte === closeList && depth === 2 && (commas[2] ?? 0) >= (longest?.entries ?? 0))
          longest = { nameFrom, nameTo, entries: (commas[2] ?? 0) + 1 };
        if (depth > 0) depth--;
        break;
    }
  }
  return { beyond, values, longest, hasEscapes, unsureNumbers };
}

/** Notes the number that ends before `end`, spaces apart, if one does. */
function noteNumber(numbers: number[], bytes: Uint8Array, end: number): void {
  let to = end;
  while (isSpace(bytes[to - 1])) to--;
  let from = to;
  while (isOfNumber(bytes[from - 1])) from--;
  // A sign behind its first byte is that of an exponent.
  if (to - from >= unsureBytes || bytes.subarray(from + 1, to).includes(minus)) numbers.push(from, to);
}

const isSpace = (byte: number | undefined): boolean => byte !== undefined && byte <= 0x20;

/** A digit, point, sign, or the letter before an exponent. */
const isOfNumber = (byte: number | undefined): boolean =>
  byte !== undefined &&
  ((byte >= 0x2b && byte <= 0x39 && byte !== comma && byte !== 0x2f) ||
    byte === letterE ||
    byte === capitalE);

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;
const letterE = 0x65;
const capitalE = 0x45;
const minus = 0x2d;
const colon = 0x3a;
const comma = 0x2c;
const openObject = 0x7b;
const closeObject = 0x7d;
const openList = 0x5b;
const closeList = 0x5d;
