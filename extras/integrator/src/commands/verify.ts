import { readFileSync } from 'node:fs';
import { verifyWebhook, WebhookVerificationError } from '@comanda/client/webhooks';
import { type Command, type Context, required } from '../command.ts';
import { UsageError } from '../usage-error.ts';

/** Says what is wrong with a delivery. */
export const verify: Command = {
  summary: 'Check a webhook that was received: which of secret, body, time or id is wrong',
  options: {
    secret: { value: 'SECRET', help: 'of the endpoint (or COMANDA_SECRET)' },
    body: { value: 'TEXT', help: 'as received, byte for byte (required)' },
    header: { value: "'NAME: VALUE'", help: 'one header; several times', multiple: true },
    headers: { value: 'TEXT', help: 'all of them, a line each, or a JSON object' },
    at: { value: 'TIME', help: 'when it was received: Unix seconds or ISO 8601; now unless given' },
  },
  more: [
    'A TEXT or SECRET that begins with @ is the name of a file, and @- is standard input: --body @body.json. It makes no call.',
    'It needs webhook-id, webhook-timestamp and webhook-signature; with Content-Digest it can distinguish an altered body from a wrong',
    'secret. Exit code 1 when something is wrong.',
  ],
  async run(context) {
    const { terminal, text } = context;
    const secret = textFrom(text('secret') ?? process.env.COMANDA_SECRET)
      ?.toString()
      .trim();
    if (secret === undefined) throw new UsageError('--secret is required, or COMANDA_SECRET');
    const body = textFrom(required(context, 'body')) ?? Buffer.alloc(0);
    const headers = headersFrom(context);
    const now = timeFrom(text('at'));
    const first = await check(secret, headers, body, now);
    const isTime = first !== undefined && /_timestamp$/.test(first.reason);
    // Judged at the time that it names, to see what else is wrong.
    const signedAt = new Date(Number(headers['webhook-timestamp']) * 1000);
    const wrong = (isTime ? [first, await check(secret, headers, body, signedAt)] : [first]).filter(
      (each) => each !== undefined,
    );
    for (const { reason, message } of wrong)
      terminal.say(`${about(reason, message)}: ${message.replace(/; besides.*/, '')}`);
    if (wrong.length === 0) terminal.say('right: it was signed with this secret, and nothing was altered');
    else if (wrong.every(({ reason }) => /_timestamp$/.test(reason)))
      terminal.say('everything else is right: it was signed with this secret, and nothing was altered');
    return wrong.length === 0 ? 0 : 1;
  },
};

type Headers = Record<string, string>;

/** The faults, if any. */
async function check(
  secret: string,
  headers: Headers,
  body: Uint8Array,
  now: Date,
): Promise<WebhookVerificationError | undefined> {
  try {
    await verifyWebhook(secret, headers, body, { now });
    return undefined;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error;
    throw error;
  }
}

/** The input: secret, body, time, id, or a header. */
function about(reason: WebhookVerificationError['reason'], message: string): string {
  if (reason === 'wrong_secret') return 'secret';
  if (reason.endsWith('_body')) return 'body';
  if (reason.endsWith('_timestamp')) return 'time';
  return message.includes('webhook-id') ? 'id' : 'headers';
}

function headersFrom({ text, texts }: Context): Headers {
  const all = textFrom(text('headers'))?.toString() ?? '';
  const lines = [
    ...(all.trimStart().startsWith('{') ? linesOf(all) : all.split(/\r?\n/)),
    ...texts('header'),
  ];
  const pairs = lines
    .map((line) => /^([\w-]+):\s*(.*)$/.exec(line.trim()))
    .filter((match) => match !== null)
    .map(([, name = '', value = '']) => [name.toLowerCase(), value]);
  if (pairs.length === 0) throw new UsageError('--headers or --header is required');
  return Object.fromEntries(pairs);
}

function linesOf(json: string): string[] {
  try {
    return Object.entries(JSON.parse(json)).map(([name, value]) => `${name}: ${value}`);
  } catch {
    throw new UsageError('--headers begins as JSON, and is none');
  }
}

function timeFrom(text: string | undefined): Date {
  if (text === undefined) return new Date();
  const time = new Date(/^\d{1,12}$/.test(text) ? Number(text) * 1000 : text);
  if (Number.isNaN(time.getTime())) throw new UsageError('--at must be Unix seconds or ISO 8601');
  return time;
}

/** The bytes of an option: what it says, or of the file behind `@`. */
function textFrom(text: string | undefined): Buffer | undefined {
  if (text === undefined) return undefined;
  if (!text.startsWith('@')) return Buffer.from(text);
  try {
    return readFileSync(text === '@-' ? 0 : text.slice(1));
  } catch (error) {
    throw new UsageError(`${text.slice(1)} cannot be read: ${(error as Error).message}`);
  }
}
