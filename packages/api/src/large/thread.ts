import { parentPort, workerData } from 'node:worker_threads';
import { beginSpan, type Leaving } from '@comanda/db';
import { textOf } from '../call/answer.ts';
import { perform, slotOf } from '../call/call.ts';
import type { CallContext } from '../call/context.ts';
import { readGiven } from '../call/input.ts';
import { inFamily, operationsOf } from '../call/operations.ts';
import { appRouter } from '../router.ts';
import { openExecutor } from './executor.ts';
import type { Answered, FromThread, NumberedCall, ThreadSettings, ToThread } from './messages.ts';
import { sentRefusal } from './messages.ts';

// The thread for large bodies. It performs calls that the server has admitted, and answers with text.

const app = openExecutor(workerData as ThreadSettings);
const operations = new Map(operationsOf(appRouter).map((operation) => [operation.name, operation]));

/** The callers of what is under way, by the numbers of the calls. */
const callers = new Map<number, AbortController>();

parentPort?.on('message', (message: ToThread) => {
  if ('close' in message) void app.close().then(() => process.exit(0));
  else if ('left' in message) callers.get(message.left)?.abort();
  else void answer(message).then((answer) => parentPort?.postMessage(answer));
});

parentPort?.postMessage({ ready: true } satisfies FromThread);

async function answer({ number, call }: NumberedCall): Promise<Answered> {
  const { operation: name, given, traceparent, ...rest } = call;
  const caller = new AbortController();
  callers.set(number, caller);
  const headers: Record<string, string> = {};
  const span = beginSpan(`large ${name}`, 'server', traceparent);
  try {
    const found = operations.get(name);
    if (found === undefined) throw new Error(`${name} is no operation`);
    const operation = inFamily(found, rest.apiVersion);
    const left = leftBy(caller);
    const ctx: CallContext = {
      ...rest,
      app,
      headers,
      startedAt: performance.now(),
      traceparent: span.traceparent,
      left,
      slot: slotOf(operation, rest.caller, left),
    };
    const answered = await span.within(() =>
      perform(ctx, operation, readGiven(given, operation, rest.caller)),
    );
    const { etag, replayed, isSecret } = answered;
    span.end();
    return { number, headers, text: textOf(answered, operation.output), etag, replayed, isSecret };
  } catch (error) {
    span.end({}, error);
    return { number, headers, refusal: sentRefusal(error) };
  } finally {
    callers.delete(number);
  }
}

/** The caller of a call, who leaves when the server reports it. */
const leftBy = ({ signal }: AbortController): Leaving => ({
  get isGone() {
    return signal.aborted;
  },
  whenGone(done) {
    signal.addEventListener('abort', done);
    return () => signal.removeEventListener('abort', done);
  },
});
