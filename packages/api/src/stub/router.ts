import { AsyncLocalStorage } from 'node:async_hooks';
import type { AnyRouter } from '@trpc/server';
import { z } from 'zod';
import type { Answer } from '../request/answer.ts';
import type { CallContext, JoinedCall } from '../request/context.ts';
import { keyless, keylessOf } from '../request/keyless.ts';
import { operation, router } from '../request/operation.ts';
import { type Operation, operationsOf } from '../request/operations.ts';
import type { EventList } from '../resources/events/schema.ts';
import type { AppRouter } from '../router.ts';
import type { StubOptions } from './answers.ts';
import { workWithoutDatabase } from './app.ts';
import { stubPage } from './feed.ts';
import type { Done, StubKeys } from './keys.ts';
import { answered, Unanswered } from './outcomes.ts';

/** The router that responds to a request: several stubs share one, which takes some time to make. */
export interface Answering {
  options: StubOptions;
  keys: StubKeys;
}

/** Runs a request, whose operations are answered so. */
export const answering = new AsyncLocalStorage<Answering>();

function present(): Answering {
  const found = answering.getStore();
  if (found === undefined) throw new Error('no stub answers');
  return found;
}

/**
 * The operations of a router, whose work is done as far as it needs no database, for what it refuses, and then answered as
 * `answering` says.
 */
export function stubRouter(served: AppRouter): AnyRouter {
  const tree: Tree = {};
  for (const each of operationsOf(served)) place(tree, each.name, stubOperation(each));
  for (const { name, meta, input } of keylessOf(served)) {
    const work = async (_: unknown, given: unknown) => {
      const { text } = answered(await present().options.answer(name, given));
      return { value: JSON.parse(text) as unknown, apiKeyId: '', locationId: '' };
    };
    place(tree, name, keyless(meta, input, z.unknown(), work));
  }
  return routerOf(tree);
}

type Call = { ctx: CallContext | JoinedCall; input: unknown };

function stubOperation(served: Operation): unknown {
  const work = async (call: Call): Promise<Answer<unknown>> => {
    const { options, keys } = present();
    const { idempotency } = call.ctx;
    const act = async () => {
      await refuseByWork(served, call);
      const answer = await options.answer(served.name, givenOf(call));
      if (answer !== undefined || served.name !== 'events.list') return answered(answer);
      return { text: JSON.stringify(stubPage(options.events, call.input as EventList)) };
    };
    const done: Done = await (idempotency === undefined ? act() : keys.once(idempotency, act));
    const { text, etag, replayed, lost } = done;
    if (lost !== undefined) throw new Unanswered(lost);
    return { text, isPruned: true, ...(etag && { etag }), ...(replayed && { replayed }) };
  };
  // Answers are what a test says they are, be they a part of what the service would show.
  const draft = operation(served.meta).input(served.input).output(z.unknown());
  if (served.kind === 'query') return 'joinedWork' in served ? draft.joinedQuery(work) : draft.query(work);
  return 'joinedWork' in served ? draft.joinedMutation(work) : draft.mutation(work);
}

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
function refuseByWork(served: Operation, { ctx, input }: Call): Promise<void> {
  // Whether the location is a sandbox is a matter of its state.
  const location = { ...ctx.caller.location, sandbox: true };
  const inSandbox = { ...ctx, caller: { ...ctx.caller, location } };
  return workWithoutDatabase(() =>
    'joinedWork' in served
      ? served.joinedWork({ ctx: inSandbox as JoinedCall, input })
      : served.work({ ctx: inSandbox as CallContext, input }),
  );
}

type Tree = { [name: string]: unknown };

function place(tree: Tree, name: string, procedure: unknown): void {
  const path = name.split('.');
  const last = path.pop() ?? '';
  let branch = tree;
  for (const part of path) {
    branch[part] ??= {};
    branch = branch[part] as Tree;
  }
  branch[last] = procedure;
}

const isProcedure = (member: unknown): boolean => typeof member === 'function';

const routerOf = (tree: Tree): AnyRouter =>
  router(
    Object.fromEntries(
      Object.entries(tree).map(([name, member]) => [
        name,
        isProcedure(member) ? member : routerOf(member as Tree),
      ]),
    ) as never,
  );
