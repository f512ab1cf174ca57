import { type Command, type Context, momentFrom, required, secretFrom, urlFrom } from '../command.ts';
import { type Delivery, deliver, type Receiver, show } from '../delivery.ts';
import { NoAnswerError } from '../exchange.ts';
import { type Cursor, type FeedEvent, readFeed } from '../feed.ts';
import { openState } from '../state.ts';
import type { Terminal } from '../terminal.ts';
import { backoffSeconds, sleep } from '../waiting.ts';

/** Reads the feed and sends every event on, signed as a webhook. */
export const listen: Command = {
  summary: 'Send events to your URL, signed as a webhook',
  options: {
    'forward-to': { value: 'URL', help: 'where to, like http://localhost:4000/hook (required)' },
    types: { value: 'LIST', help: 'only these event types, comma-separated' },
    after: { value: 'ID', help: 'begin after this event of the feed; latest is now' },
    since: { value: 'TIME', help: 'begin with this moment: 2026-01-31T00:00:00Z, or 15m, 2h, 7d ago' },
    once: { help: 'end when everything is sent that is there' },
    verbose: { help: 'show the bodies' },
    secret: { value: 'SECRET', help: 'sign with this one (or COMANDA_SECRET); not written to the file' },
    state: { value: 'FILE', help: 'keeps secret and cursor (.comanda.json)' },
  },
  more: [
    'It needs a key with events:read, and with orders:read for order.* and so on. The secret is made at the first run and stays the same: give it to your receiver.',
    'The first run begins with now, the next one where the last one ended. The cursor moves when an event was answered, so',
    'an event may come twice and none is lost. While your receiver is not there (no answer, 502, 503, 504) the event is sent',
    'again, after 1 to 10 s. Any other answer is shown, and the next event follows.',
  ],
  async run(context) {
    const { terminal, text, flag } = context;
    const url = urlFrom(required(context, 'forward-to'), '--forward-to');
    const given = secretFrom(text('secret') ?? process.env.COMANDA_SECRET);
    const service = context.service();
    const state = openState(text('state') ?? stateFile, given);
    const receiver: Receiver = { url, secret: state.secret, verbose: flag('verbose') };
    const from = startOf(context, state.cursor);
    terminal.say(`signed with ${state.secret}`);
    terminal.say(`to ${url.href}, ${begin(from)}`);
    const reading = { from, types: text('types'), once: flag('once') };
    for await (const { event, cursor } of readFeed(service, reading, terminal)) {
      if (event !== undefined) await untilAnswered(receiver, event, terminal);
      state.keep(cursor);
    }
    return 0;
  },
};

/** Where secret and cursor are kept unless said. */
export const stateFile = '.comanda.json';

function startOf({ text }: Context, kept: Cursor): Cursor {
  const [after, since] = [text('after'), momentFrom(text('since'), '--since')];
  if (after !== undefined || since !== undefined) return { after, since };
  return kept.after === undefined && kept.since === undefined ? { after: 'latest' } : kept;
}

function begin({ after, since }: Cursor): string {
  if (after === 'latest') return 'from now on';
  return after === undefined ? `since ${since}` : `after the event ${after}`;
}

async function untilAnswered(receiver: Receiver, event: FeedEvent, terminal: Terminal): Promise<void> {
  let attempt = 1;
  for (let tries = 1, shown = ''; ; tries += 1) {
    const delivery = await deliver(receiver, event, Math.min(attempt, 5));
    const away = whyAway(delivery);
    if (away === undefined) return show(delivery, receiver, terminal);
    if (away !== shown) show(delivery, receiver, terminal, '  again until it answers');
    shown = away;
    if (!(delivery.answer instanceof NoAnswerError) || delivery.answer.sent) attempt += 1;
    await sleep(backoffSeconds(tries, 10) * 1000);
  }
}

/** Why it seems that no receiver is there: a proxy before one that restarts answers so, too. */
function whyAway({ answer }: Delivery): string | undefined {
  if (answer instanceof NoAnswerError) return answer.message;
  return [502, 503, 504].includes(answer.status) ? String(answer.status) : undefined;
}
