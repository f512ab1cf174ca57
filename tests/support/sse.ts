/** One event of a stream as it was sent. */
export interface Sent {
  id?: string;
  event?: string;
  data?: string;
}

/** A stream of server-sent events that is being read. */
export interface OpenStream {
  status: number;
  headers: Headers;
  /** The events so far; comments and fields of other kinds are left out. */
  sent: Sent[];
  /** The text as it came. */
  text(): string;
  /** Settles when it has ended: whether the server ended it whole. */
  ended: Promise<boolean>;
  close(): void;
}

/** Opens one; `headers` are sent in addition to the key. */
export async function openStream(
  url: string,
  key: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<OpenStream> {
  const controller = new AbortController();
  const response = await fetch(url + path, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream', ...headers },
    signal: controller.signal,
  });
  const sent: Sent[] = [];
  let text = '';
  let unread = '';
  const decoder = new TextDecoder();
  const read = async () => {
    for await (const chunk of response.body ?? []) {
      const piece = decoder.decode(chunk, { stream: true });
      text += piece;
      unread += piece;
      const blocks = unread.split('\n\n');
      unread = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = block.split('\n').flatMap((line) => {
          const [, name = '', value = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
          return name === '' ? [] : [[name, value]];
        });
        // A block without data is no event.
        if (fields.some(([name]) => name === 'data')) sent.push(Object.fromEntries(fields));
      }
    }
  };
  return {
    status: response.status,
    headers: response.headers,
    sent,
    text: () => text,
    ended: read().then(
      () => true,
      () => false,
    ),
    close: () => controller.abort(),
  };
}
