import { headersToBrowser } from './headers.ts';
import { listInput, readInputs } from './inputs.ts';
import type { Asked, FrontAccess } from './options.ts';
import { callRefusal, Refused, refusals } from './refusals.ts';
import type { CallsRoute } from './route.ts';
import type { AskService } from './service.ts';

/** The decision about the calls of a request: those that are sent on, with the inputs that they get. */
interface Sent {
  names: string[];
  /** Their places in what the browser asked. */
  places: number[];
  /** As the service gets it; `undefined` where there is none. */
  input: string | undefined;
}

/**
 * Passes calls on. Those of a batch that are not allowed are refused in their place, and the others are sent without them.
 * Throws `Refused` where that is so of all.
 */
export async function passCalls(
  route: CallsRoute,
  asked: Asked,
  access: FrontAccess,
  askService: AskService,
  requestId: string,
): Promise<Response> {
  const isPost = asked.method === 'POST';
  // A page of another origin cannot send this type without being allowed to first.
  if (isPost && !/^application\/json\s*(;|$)/i.test(asked.header('content-type') ?? ''))
    throw new Refused('unsupported_media_type');
  const sent = sortedOut(route, isPost ? await asked.body() : route.input, access);
  if (sent.places.length === 0) throw new Refused('front_not_allowed');
  const query = [
    ...(route.isBatch ? ['batch=1'] : []),
    ...(isPost || sent.input === undefined ? [] : [`input=${encodeURIComponent(sent.input)}`]),
  ].join('&');
  const path = `trpc/${sent.names.map(encodeURIComponent).join(',')}${query && `?${query}`}`;
  const answer = await askService(path, {
    method: asked.method,
    signal: asked.gone,
    ...(isPost && { body: sent.input ?? '' }),
  });
  if (sent.places.length === route.names.length)
    return new Response(answer.body, { status: answer.status, headers: headersToBrowser(answer.headers) });
  return putTogether(answer, sent, route.names.length, requestId);
}

function sortedOut({ names, isBatch }: CallsRoute, text: string | undefined, access: FrontAccess): Sent {
  const listed: readonly string[] = access.procedures;
  const isFollowing = (name: string) => name === 'events.list';
  // As it came, where nothing is changed: it may be long.
  if (names.every((name) => listed.includes(name) && !isFollowing(name)))
    return { names, places: [...names.keys()], input: text };
  const inputs = readInputs(text ?? '', isBatch);
  const kept = names.flatMap((name, place) => {
    const input = isFollowing(name) ? listInput(inputs[place], access) : inputs[place];
    const isAllowed = isFollowing(name) ? input !== undefined : listed.includes(name);
    return isAllowed ? [{ name, place, input }] : [];
  });
  const given = kept.map(({ input }) => input);
  return {
    names: kept.map(({ name }) => name),
    places: kept.map(({ place }) => place),
    input: JSON.stringify(isBatch ? { ...given } : given[0]),
  };
}

/** The answers of the calls that were sent, between the refusals of the others. */
async function putTogether(
  answer: Response,
  { places }: Sent,
  count: number,
  requestId: string,
): Promise<Response> {
  const text = await answer.text();
  const headers = headersToBrowser(answer.headers);
  const answers = answersIn(text, places.length);
  // It answers for all: a limit of the service, a page of a proxy.
  if (answers === undefined) return new Response(text, { status: answer.status, headers });
  const all = Array.from({ length: count }, (_, place) => {
    const at = places.indexOf(place);
    return at === -1 ? callRefusal('front_not_allowed', requestId) : answers[at];
  });
  const tags = headers.get('x-entity-tags');
  if (tags !== null) headers.set('x-entity-tags', tagsAt(tags, places));
  const { status } = refusals.front_not_allowed;
  return new Response(JSON.stringify(all), { status: answer.status === status ? status : 207, headers });
}

function answersIn(text: string, count: number): unknown[] | undefined {
  try {
    const answers: unknown = JSON.parse(text);
    return Array.isArray(answers) && answers.length === count ? answers : undefined;
  } catch {
    return undefined;
  }
}

/** `0="…", 1="…"` with the places that the calls have for the browser. */
const tagsAt = (tags: string, places: readonly number[]): string =>
  tags.replaceAll(/(^|, )(\d+)=/g, (_, before: string, at: string) => `${before}${places[Number(at)]}=`);
