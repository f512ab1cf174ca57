/** The content of one block of server-sent events. */
export type Sent = Partial<Record<'id' | 'event' | 'data' | 'retry', string>>;

/**
 * Reads server-sent events as their text comes, in pieces of any size: the whole blocks of each piece. A block that only
 * says that the stream lives is empty.
 */
export function createParser(): (text: string) => Sent[] {
  let unread = '';
  let block: Sent = {};
  return (text) => {
    const lines = (unread + text).split(/\r?\n/);
    unread = lines.pop() ?? '';
    const whole: Sent[] = [];
    for (const line of lines) {
      const [, name, value] = /^(id|event|data|retry): ?(.*)$/.exec(line) ?? [];
      if (name !== undefined) block[name as keyof Sent] = value ?? '';
      if (line !== '') continue;
      whole.push(block);
      block = {};
    }
    return whole;
  };
}
