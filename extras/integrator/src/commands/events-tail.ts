import { type Command, momentFrom } from '../command.ts';
import { readFeed } from '../feed.ts';
import { UsageError } from '../usage-error.ts';

/** Shows the feed of events. */
export const eventsTail: Command = {
  summary: 'Show what happens, an event a line',
  options: {
    types: { value: 'LIST', help: 'only these event types, comma-separated' },
    after: { value: 'ID', help: 'begin after this event of the feed; latest is now' },
    since: { value: 'TIME', help: 'begin with this moment: 2026-01-31T00:00:00Z, or 15m, 2h, 7d ago' },
    once: { help: 'end where the feed ends (with --after or --since)' },
    json: { help: 'each event as one line of JSON, as endpoints receive it' },
  },
  more: [
    'It needs a key with events:read, and with orders:read for order.* and so on. It begins with now unless said.',
  ],
  async run({ terminal, text, flag, service }) {
    const given = { after: text('after'), since: momentFrom(text('since'), '--since') };
    const isGiven = given.after !== undefined || given.since !== undefined;
    if (flag('once') && !isGiven) throw new UsageError('--once needs --after or --since');
    const reading = {
      from: isGiven ? given : { after: 'latest' },
      types: text('types'),
      once: flag('once'),
    };
    for await (const { event } of readFeed(service(), reading, terminal)) {
      if (event === undefined) continue;
      const { id, type, created_at: at, data } = event;
      if (flag('json')) terminal.say(JSON.stringify(event));
      else terminal.say(`${at}  ${type.padEnd(20)}  ${id}  ${shortened(JSON.stringify(data))}`);
    }
    return 0;
  },
};

const shortened = (text: string): string => (text.length > 100 ? `${text.slice(0, 99)}…` : text);
