/**
 * Joins reads of single rows into reads of many: at most one is under way, and who asks meanwhile is answered by the
 * next. That one starts after they asked, so everybody sees what was committed before their request, as alone. `read`
 * answers what it found, by the text of its key; a key that is not among it is answered with undefined. What `read`
 * throws, all who waited for it get.
 *
 * Under load this divides the cost of a query by the number of those who wait; a lone caller waits for nobody.
 */
export function joinReads<Key, Value>(
  read: (keys: Key[]) => Promise<ReadonlyMap<string, Value>>,
  textOf: (key: Key) => string,
): (key: Key) => Promise<Value | undefined> {
  let waiting: Waiting<Key, Value> = new Map();
  let reading = false;

  async function readAll(): Promise<void> {
    reading = true;
    while (waiting.size > 0) {
      const asked = waiting;
      waiting = new Map();
      try {
        const found = await read([...asked.values()].slice(0, mostAtOnce).map(({ key }) => key));
        let taken = 0;
        for (const [text, entry] of asked) {
          if (taken++ < mostAtOnce) for (const { resolve } of entry.callers) resolve(found.get(text));
          else putBack(text, entry);
        }
      } catch (error) {
        for (const { callers } of asked.values()) for (const { reject } of callers) reject(error);
      }
    }
    reading = false;
  }

  function putBack(text: string, entry: Asked<Key, Value>): void {
    const later = waiting.get(text);
    if (later === undefined) waiting.set(text, entry);
    else later.callers.push(...entry.callers);
  }

  return (key) =>
    new Promise((resolve, reject) => {
      putBack(textOf(key), { key, callers: [{ resolve, reject }] });
      if (!reading) void readAll();
    });
}

const mostAtOnce = 100;

type Waiting<Key, Value> = Map<string, Asked<Key, Value>>;

interface Asked<Key, Value> {
  key: Key;
  callers: { resolve(value: Value | undefined): void; reject(error: unknown): void }[];
}
