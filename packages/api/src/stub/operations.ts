import { z } from 'zod';
import type { Answer } from '../call/answer.ts';
import type { CallContext } from '../call/context.ts';
import type { Keyless } from '../call/keyless.ts';
import type { Operation } from '../call/operations.ts';
import type { Target } from '../http/trpc/calls.ts';
import type { EventList } from '../resources/events/schema.ts';
import type { StubOptions } from './answers.ts';
import { workWithoutDatabase } from './app.ts';
import { stubPage } from './feed.ts';
import type { Done, StubKeys } from './keys.ts';
import { answered, Unanswered } from './outcomes.ts';

/** What the calls of one request are answered from. */
export interface Session {
  options: StubOptions;
  keys: StubKeys;
  /** The first of its calls that gets no answer. */
  failure?: Unanswered;
}

/** What is served, with the answers of a session in the place of its work. */
export const stubbed = (target: Target, session: Session): Target =>
  'kind' in target ? stubbedOperation(target, session) : stubbedKeyless(target, session);

const stubbedKeyless = (served: Keyless, session: Session): Keyless => ({
  ...served,
  output: z.unknown(),
  async work(_, given) {
    const { text } = await noting(session, async () =>
      answered(await session.options.answer(served.name, given)),
    );
    return { value: JSON.parse(text) as unknown, apiKeyId: '', locationId: '' };
  },
});

/** The work of the service is done as far as it needs no database, for what it refuses. */
const stubbedOperation = (served: Operation, session: Session): Operation => ({
  ...served,
  async work(call): Promise<Answer<unknown>> {
    const { options, keys } = session;
    const { idempotency } = call.ctx;
    const act = async () => {
      await refuseByWork(served, call);
      const answer = await options.answer(served.name, givenOf(call));
      if (answer !== undefined || served.name !== 'events.list') return answered(answer);
      return { text: JSON.stringify(stubPage(options.events, call.input as EventList)) };
    };
    const done = await noting(session, async () => {
      const { lost, ...answer } = await (idempotency === undefined ? act() : keys.once(idempotency, act));
      if (lost !== undefined) throw new Unanswered(lost);
      return answer;
    });
    const { text, etag, replayed } = done;
    return { text, isPruned: true, ...(etag && { etag }), ...(replayed && { replayed }) };
  },
});

async function noting(session: Session, work: () => Promise<Done>): Promise<Done> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Unanswered) session.failure ??= error;
    throw error;
  }
}

type Call = { ctx: CallContext; input: unknown };

/** The input as a caller would write it, as the service reads it: a copy, in which defaults are filled in. */
function givenOf({ ctx, input }: Call): unknown {
  const { idempotency, precondition } = ctx;
  return JSON.parse(
    JSON.stringify({
      ...(input as object),
      ...(idempotency && { idempotencyKey: idempotency.key }),
      ...(precondition?.ifMatch !== undefined && { expected: precondition.ifMatch }),
    }),
  );
}

/** Throws what the work refuses before it needs a database. */
function refuseByWork({ work }: Operation, { ctx, input }: Call): Promise<void> {
  // Whether the location is a sandbox is a matter of its state.
  const location = { ...ctx.caller.location, sandbox: true };
  const caller = { ...ctx.caller, location };
  return workWithoutDatabase(() => work({ ctx: { ...ctx, caller }, input }));
}
