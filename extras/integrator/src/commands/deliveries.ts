import { type Command, type Context, momentFrom, required } from '../command.ts';
import type { Service } from '../service.ts';
import { UsageError } from '../usage-error.ts';

/** Shows how an endpoint answered. */
export const deliveriesList: Command = {
  summary: 'Show the attempts at a webhook endpoint, newest first',
  positionals: '[ENDPOINT]',
  options: {
    status: { value: 'STATUS', help: 'only these: delivered, failed or dead' },
    type: { value: 'TYPE', help: 'only this event type' },
    limit: { value: 'N', help: 'so many at most, up to 200 (20)' },
    json: { help: 'as one JSON document' },
  },
  more: ['It needs a key with webhooks:read. ENDPOINT is its id, and may be left out where there is one.'],
  async run(context) {
    const { terminal, text, flag } = context;
    const service = context.service();
    const path = `${await endpointPath(context, service)}/deliveries`;
    const query = { status: text('status'), event_type: text('type'), limit: text('limit') ?? '20' };
    const { data } = (await service.call({ path, query })) as { data: Attempt[] };
    if (flag('json')) terminal.say(JSON.stringify(data));
    else if (data.length === 0) terminal.say('none');
    else for (const each of data) terminal.say(line(each));
    return 0;
  },
};

/** Lets events be sent again. */
export const deliveriesReplay: Command = {
  summary: 'Have events sent to a webhook endpoint again',
  positionals: '[ENDPOINT]',
  options: {
    since: { value: 'TIME', help: 'events since 2026-01-31T00:00:00Z, or 15m, 2h, 7d ago (required)' },
    until: { value: 'TIME', help: 'and not after; now unless given' },
    types: { value: 'LIST', help: 'only these event types, comma-separated' },
    only: { value: 'WHICH', help: 'failed: what did not arrive (as unless said); all: what did, too' },
  },
  more: [
    'It needs a key with webhooks:read and webhooks:write. At most 10,000 events a call, and 30 days back.',
  ],
  async run(context) {
    const { terminal, text } = context;
    const body = {
      since: momentFrom(required(context, 'since'), '--since'),
      until: momentFrom(text('until'), '--until'),
      event_types: text('types')?.split(','),
      only: text('only'),
    };
    const service = context.service();
    const path = `${await endpointPath(context, service)}/replay`;
    const { data } = (await service.call({ method: 'POST', path, body })) as { data: { replayed: number } };
    terminal.say(`${data.replayed} on their way again`);
    return 0;
  },
};

interface Attempt {
  event_id: string;
  event_type: string;
  attempt: number;
  status: string;
  response_code?: number;
  error?: string;
  duration_ms: number;
  attempted_at: string;
  next_attempt_at?: string;
}

function line(each: Attempt): string {
  const { attempted_at: at, event_type: type, event_id: id, attempt, status, next_attempt_at: next } = each;
  const answer = each.error ?? each.response_code;
  const again = next === undefined ? '' : `  again at ${next}`;
  return `${at}  ${type.padEnd(20)}  ${id}  attempt ${attempt}: ${status}, ${answer}, ${each.duration_ms} ms${again}`;
}

/** The path of the endpoint that is named, or of the only one. @throws {UsageError} when there are several. */
export async function endpointPath({ words }: Context, service: Service): Promise<string> {
  if (words.length > 1) throw new UsageError('give one endpoint, by its id');
  const collection = '/v2/webhook-endpoints';
  if (words[0] !== undefined) return `${collection}/${encodeURIComponent(words[0])}`;
  const { data } = (await service.call({ path: collection, query: { limit: 200 } })) as {
    data: { id: string; url: string }[];
  };
  const [only] = data;
  if (only !== undefined && data.length === 1) return `${collection}/${only.id}`;
  const known = data.map(({ id, url }) => `\n  ${id}  ${url}`).join('');
  throw new UsageError(
    known === '' ? 'this location has no webhook endpoint' : `say which endpoint; there are:${known}`,
  );
}
