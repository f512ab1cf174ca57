import { headersToService } from './headers.ts';
import type { Asked, FrontSetting, GateOptions } from './options.ts';
import { Refused } from './refusals.ts';

/** Asks the service with the key. Throws `Refused`. */
export type AskService = (
  path: string,
  init: { method: string; body?: string; signal: AbortSignal },
) => Promise<Response>;

/** Reads the settings, for one request. Throws `Refused` where one is missing. */
export async function serviceFor(
  { url, key, fetch: send = fetch }: GateOptions,
  onFault: (error: Error) => void,
  asked: Asked,
  requestId: string,
): Promise<AskService> {
  const misses = (what: string): Refused => {
    onFault(new Error(`the server in front of Comanda: ${what}`));
    return new Refused('front_not_set_up');
  };
  const base = await read(url);
  const secret = await read(key);
  if (!base || !URL.canParse(base)) throw misses(base ? 'url is no absolute URL' : 'url is not set');
  if (!secret) throw misses('key is not set');
  const own = { authorization: `Bearer ${secret}`, 'x-request-id': requestId };
  return async (path, { body, ...init }) => {
    const headers = headersToService(asked.header, {
      ...own,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    });
    const target = new URL(path, base.replace(/\/?$/, '/'));
    // A redirect would lead the key elsewhere.
    const sent = send(target, { ...init, headers, body: body ?? null, redirect: 'manual' });
    const answer = await sent.catch((error: unknown) => {
      if (!init.signal.aborted)
        onFault(new Error('the server in front of Comanda: no connection to it', { cause: error }));
      throw new Refused('temporarily_unavailable');
    });
    // The key of this server is refused, not the user's session.
    if (answer.status === 401) {
      await answer.body?.cancel();
      throw misses('Comanda refuses the key');
    }
    return answer;
  };
}

const read = async (setting: FrontSetting): Promise<string | undefined> =>
  typeof setting === 'function' ? setting() : setting;
