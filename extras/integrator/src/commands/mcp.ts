import { createInterface } from 'node:readline';
import type { Address, Command } from '../command.ts';
import { exchange, NoAnswerError } from '../exchange.ts';

/** Longer than any call of the service takes. */
const timeoutMs = 120_000;

/** Carries JSON-RPC between a client that starts a program and the `/mcp` of the service. */
export const mcp: Command = {
  summary:
    'Give the tools of the service to a client of the Model Context Protocol that starts a program (stdio)',
  options: {},
  more: [
    'A client starts it; it reads a message a line, asks URL/mcp with the key, and prints the answer as a line. It ends with its input.',
    'What the tools may do is what the key may do. Nothing is sent twice: a call without an answer is an error, which the client decides about.',
  ],
  async run({ address, terminal }) {
    const to = address();
    // The revision that the client agreed on, which HTTP says with each message and stdio does not.
    let agreed: string | undefined;
    const answer = async (line: string) => {
      const message = parse(line);
      const { text, fault } = await carry(to, line, headersOf(message, agreed));
      if (message?.method === 'initialize') agreed = parse(text)?.result?.protocolVersion ?? agreed;
      if (fault === undefined) terminal.say(text === '' ? [] : text);
      else if (message?.id === undefined) terminal.note(fault);
      else terminal.say(errorFor(message.id, fault));
    };
    const answers = new Set<Promise<void>>();
    for await (const line of createInterface({ input: process.stdin })) {
      if (line.trim() === '') continue;
      const one = answer(line).finally(() => answers.delete(one));
      answers.add(one);
    }
    await Promise.all(answers);
    return 0;
  },
};

const errorFor = (id: unknown, message: string) =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message } });

/** A message, as far as its carrier reads it. */
interface Message {
  jsonrpc?: string;
  id?: unknown;
  method?: string;
  params?: { name?: unknown; uri?: unknown; _meta?: Record<string, unknown> };
  result?: { protocolVersion?: string };
  error?: unknown;
}

function parse(text: string): Message | undefined {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    // The service says what is wrong with it.
    return undefined;
  }
}

/** The newest revision has its own with each message, and HTTP repeats its method and what it names in headers. */
function headersOf(message: Message | undefined, agreed: string | undefined): Record<string, string> {
  const { method, params } = message ?? {};
  const own = params?._meta?.['io.modelcontextprotocol/protocolVersion'];
  if (typeof own !== 'string') return agreed === undefined ? {} : { 'mcp-protocol-version': agreed };
  const named = method === 'resources/read' ? params?.uri : params?.name;
  return {
    'mcp-protocol-version': own,
    ...(typeof method === 'string' && { 'mcp-method': headerOf(method) }),
    ...(typeof named === 'string' && { 'mcp-name': headerOf(named) }),
  };
}

/** A text as the protocol writes it in a header: in base64 unless it is plain ASCII without spaces around it. */
const headerOf = (text: string): string =>
  /^[!-~]([ -~]*[!-~])?$/.test(text) && !text.startsWith('=?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;

/** Asks once. The text is a line of JSON-RPC, or empty; `fault` says why there is none. */
async function carry(
  { url, key }: Address,
  body: string,
  more: Record<string, string>,
): Promise<{ text: string; fault?: string }> {
  const headers = {
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...more,
  };
  const to = new URL(`${url.href.replace(/\/$/, '')}/mcp`);
  try {
    const { status, text } = await exchange(to, { method: 'POST', headers, body, timeoutMs });
    const answered = parse(text);
    if (answered?.jsonrpc === '2.0' || (text === '' && status < 300)) return { text };
    // A refusal before the protocol, such as 401 or 429.
    const said = (answered?.error as { message?: string } | undefined)?.message;
    return { text: '', fault: said ?? `${to.href} answered ${status}: is this the URL of a Comanda?` };
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    return { text: '', fault: `${to.origin}: ${error.message}` };
  }
}
