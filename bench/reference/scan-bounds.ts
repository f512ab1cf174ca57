import { structureBounds } from '../../packages/api/src/bodies/bounds.ts';
import type { Structure } from '../../packages/api/src/bodies/scan.ts';

/** The result of `scanStructure`, without the numbers. */
type Bounds = Omit<Structure, 'unsureNumbers'>;

/**
 * The scan of a body before it found numbers: the cost of its bounds alone. The additional cost of `scanStructure` is
 * that of the numbers.
 */
export function scanBounds(bytes: Uint8Array, mostValues: number): Bounds {
  const { length } = bytes;
  const deepest = structureBounds.depth;
  // By depth: how many commas the container at it has had, and whether it is an object.
  const commas = new Int32Array(deepest + 2);
  const isObject = new Uint8Array(deepest + 2);
  let depth = 0;
  let values = 0;
  let textFrom = 0;
  let textTo = 0;
  let hasEscapes = false;
  let longest: Bounds['longest'];
  let nameFrom = 0;
  let nameTo = 0;
  const found = (beyond: Bounds['beyond']): Bounds => ({ beyond, values, longest, hasEscapes });

  for (let at = 0; at < length; at++) {
    switch (bytes[at]) {
      case quote:
        textFrom = at + 1;
        for (at++; at < length && bytes[at] !== quote; at++)
          if (bytes[at] === backslash && bytes[++at] === letterU) hasEscapes = true;
        textTo = at;
        break;
      case colon:
        if (textTo - textFrom > structureBounds.nameBytes) return found('name');
        break;
      case comma: {
        if (++values > mostValues) return found(undefined);
        const count = (commas[depth] ?? 0) + 1;
        commas[depth] = count;
        if (isObject[depth] === 1 && count >= structureBounds.members) return found('members');
        break;
      }
      case openObject:
      case openList:
        if (++values > mostValues) return found(undefined);
        if (++depth > deepest) return found('depth');
        commas[depth] = 0;
        isObject[depth] = bytes[at] === openObject ? 1 : 0;
        if (depth === 2) {
          nameFrom = textFrom;
          nameTo = textTo;
        }
        break;
      case closeList:
        if (depth === 2 && (commas[2] ?? 0) >= (longest?.entries ?? 0))
          longest = { nameFrom, nameTo, entries: (commas[2] ?? 0) + 1 };
        if (depth > 0) depth--;
        break;
      case closeObject:
        if (depth > 0) depth--;
        break;
    }
  }
  return found(undefined);
}

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;
const colon = 0x3a;
const comma = 0x2c;
const openObject = 0x7b;
const closeObject = 0x7d;
const openList = 0x5b;
const closeList = 0x5d;
