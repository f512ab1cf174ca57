/** The largest body, in bytes: of an ordinary request, and of a batch. Contract: every answer. */
export const bodyBytes = { ordinary: 1024 * 1024, batch: 8 * 1024 * 1024 } as const;

/** Bounds of every body, under any schema. They are compared with its bytes, before it is parsed. */
export const structureBounds = {
  /** Objects and lists within one another. */
  depth: 64,
  /** Members of one object. */
  members: 256,
  /** Bytes of one member's name, as the body writes it. */
  nameBytes: 1024,
  /** Values of all kinds, in an ordinary body and in a batch: commas and opening brackets. */
  values: { ordinary: 100_000, batch: 500_000 },
} as const;

/** The sentence of a refusal for each bound. */
export const beyondSentences = {
  depth: `The body nests deeper than ${structureBounds.depth} levels.`,
  members: `The body has an object with more than ${structureBounds.members} members.`,
  name: `The body has a name of more than ${structureBounds.nameBytes} bytes.`,
} as const;

/**
 * Bodies beyond this many bytes are read, validated and worked on in a thread of their own. At the event loop's slowest
 * (objects without members, each refused) this many bytes take 25 ms.
 */
export const largeFrom = 64 * 1024;

/** The same until that thread has started, which takes longer than to work on so many bytes here. */
export const largeAtFirst = 256 * 1024;
