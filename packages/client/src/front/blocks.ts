/**
 * Cuts a stream of server-sent events at the ends of its blocks: what may be passed on of each piece. The rest waits for the next
 * one, so that a stream can be ended between two events at any time.
 */
export function createCutter(): (piece: Uint8Array) => Uint8Array {
  let held = new Uint8Array();
  return (piece) => {
    const all = held.length === 0 ? piece : joined(held, piece);
    const end = endOfBlocks(all);
    held = all.slice(end);
    return all.subarray(0, end);
  };
}

const lineFeed = 10;

/** Where the last whole block ends: behind an empty line. */
function endOfBlocks(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at > 0; at -= 1)
    if (bytes[at] === lineFeed && bytes[at - 1] === lineFeed) return at + 1;
  return 0;
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
