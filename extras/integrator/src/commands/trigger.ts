import { randomUUID } from 'node:crypto';
import { type Command, required, secretFrom, urlFrom } from '../command.ts';
import { deliver, isDelivered, show } from '../delivery.ts';
import type { FeedEvent } from '../feed.ts';
import type { Service } from '../service.ts';
import { openState } from '../state.ts';
import { UsageError } from '../usage-error.ts';
import { stateFile } from './listen.ts';

/** Sends an event that did not happen. */
export const trigger: Command = {
  summary: 'Send one event of a type, with the body of the documents; nothing happens at the service',
  positionals: 'TYPE',
  options: {
    to: { value: 'URL', help: 'where to, like http://localhost:4000/hook (required)' },
    id: { value: 'ID', help: 'the id of the event; a new one unless given' },
    attempt: { value: 'N', help: 'which attempt it says it is, 1 to 5 (1)' },
    verbose: { help: 'show the bodies' },
    secret: { value: 'SECRET', help: 'sign with this one (or COMANDA_SECRET)' },
    state: { value: 'FILE', help: 'the file of listen, whose secret is taken otherwise (.comanda.json)' },
  },
  more: [
    'It needs no key. TYPE is any of /docs/reference/events. The body is the example of the OpenAPI document, with a new id',
    'and the time of now. Send the same --id twice to see whether your receiver does its work once.',
    'Exit code 1 when the answer is not 2xx.',
  ],
  async run(context) {
    const { terminal, text, words } = context;
    const [type] = words;
    if (type === undefined || words.length > 1)
      throw new UsageError('trigger takes one event type, like order.created');
    const url = urlFrom(required(context, 'to'), '--to');
    const attempt = Number(text('attempt') ?? 1);
    if (![1, 2, 3, 4, 5].includes(attempt)) throw new UsageError('--attempt must be 1 to 5');
    const given = secretFrom(text('secret') ?? process.env.COMANDA_SECRET);
    const example = await exampleOf(context.service({ key: false }), type);
    const secret = given ?? openState(text('state') ?? stateFile, undefined).secret;
    const event = {
      ...example,
      id: text('id') ?? newId(),
      created_at: new Date().toISOString().replace('Z', '+00:00'),
    };
    terminal.say(`signed with ${secret}`);
    const receiver = { url, secret, verbose: context.flag('verbose') };
    const delivery = await deliver(receiver, event, attempt);
    show(delivery, receiver, terminal);
    return isDelivered(delivery) ? 0 : 1;
  },
};

interface OpenApi {
  webhooks: Record<string, { post: { requestBody: { content: Record<string, { example: FeedEvent }> } } }>;
}

async function exampleOf(service: Service, type: string): Promise<FeedEvent> {
  const { webhooks } = (await service.call({ path: '/openapi-v2.json' })) as OpenApi;
  const example = Object.hasOwn(webhooks, type)
    ? webhooks[type]?.post.requestBody.content['application/json']?.example
    : undefined;
  if (example === undefined)
    throw new UsageError(
      `there is no event type ${type}; there are:\n  ${Object.keys(webhooks).join('\n  ')}`,
    );
  return example;
}

/** A UUIDv7, as ids of events are. */
function newId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
