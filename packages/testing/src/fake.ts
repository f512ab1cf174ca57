import type { ClientRouter, ComandaClient, ComandaError } from '@comanda/client';
import type {
  AnyMutationProcedure,
  AnyQueryProcedure,
  inferProcedureInput,
  inferProcedureOutput,
} from '@trpc/server';

type AnyCall = AnyQueryProcedure | AnyMutationProcedure;

/** Every procedure by its path, as in `'orders.create'`. */
type Procedures<Tree, Before extends string = ''> = {
  [Name in keyof Tree & string]: Tree[Name] extends AnyCall
    ? Record<`${Before}${Name}`, Tree[Name]>
    : Tree[Name] extends object
      ? Procedures<Tree[Name], `${Before}${Name}.`>
      : never;
}[keyof Tree & string];

type All<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer Whole) => void
  ? Whole
  : never;
type ByPath = All<Procedures<ClientRouter['_def']['record']>>;
type CallAt<Path extends keyof ByPath> = ByPath[Path] extends AnyCall ? ByPath[Path] : never;

/** The path of a procedure: `'orders.create'`. */
export type Procedure = keyof ByPath;

/** What a procedure takes. */
export type ProcedureInput<Path extends Procedure> = inferProcedureInput<CallAt<Path>>;

/** What a procedure answers. */
export type ProcedureOutput<Path extends Procedure> = inferProcedureOutput<CallAt<Path>>;

/** The answers of a fake, by procedure: a function of the input. What it throws, the call throws. */
export type FakeAnswers = {
  [Path in Procedure]?: (
    input: ProcedureInput<Path>,
  ) => ProcedureOutput<Path> | Promise<ProcedureOutput<Path>>;
};

/** A call that was made. */
export interface FakeCall {
  path: string;
  input: unknown;
}

/** A client that asks nobody. */
export interface FakeClient {
  client: ComandaClient;
  /** The calls that were made, in their order. */
  calls: FakeCall[];
}

/**
 * A client for unit tests: each procedure answers what the test says, typed as the service's answer is. A procedure without
 * an answer throws, and says what to add. It checks no input and keeps nothing: for what the service does, `startComanda`.
 *
 * @example
 * const { client, calls } = fakeClient({
 *   'payments.get': ({ id }) => ({ id, amount: 12.5, status: 'completed' }) as Payment,
 *   'orders.cancel': () => {
 *     throw refusal({ code: 'conflict', reason: 'illegal_move', httpStatus: 409, message: 'It is closed.' });
 *   },
 * });
 */
export function fakeClient(answers: FakeAnswers): FakeClient {
  const calls: FakeCall[] = [];
  const byPath = answers as Readonly<Record<string, ((input: unknown) => unknown) | undefined>>;
  const call = async (path: string, input: unknown): Promise<unknown> => {
    calls.push({ path, input });
    const answer = Object.hasOwn(byPath, path) ? byPath[path] : undefined;
    if (answer !== undefined) return answer(input);
    throw new Error(`the fake client has no answer for ${path}: add fakeClient({ '${path}': (input) => … })`);
  };
  const at = (path: readonly string[]): object =>
    new Proxy(() => {}, {
      // A promise would be waited for: the client is none.
      get: (_, name) => (typeof name !== 'string' || name === 'then' ? undefined : at([...path, name])),
      apply: (_, _self, [input]: unknown[]) => {
        const way = path.at(-1);
        const asked = path.slice(0, -1).join('.');
        if (way === 'query' || way === 'mutate') return call(asked, input);
        throw new TypeError(`the fake client has no ${path.join('.')}(): it has query and mutate`);
      },
    });
  return { client: at([]) as ComandaClient, calls };
}

/** What a refusal says; `fields` is empty and `requestId` `fake` unless given. */
export type Refusal = Pick<ComandaError, 'code' | 'reason' | 'httpStatus'> &
  Partial<Pick<ComandaError, 'message' | 'fields' | 'requestId' | 'resourceId' | 'retryAfterSeconds'>>;

/**
 * An error as a call throws it that the service refused: `comandaError` reads it. `/docs/errors` lists codes and reasons with
 * their status.
 */
export function refusal({ message, ...said }: Refusal): Error {
  const error = new Error(message ?? `refused: ${said.reason}`);
  error.name = 'TRPCClientError';
  return Object.assign(error, { data: { fields: [], requestId: 'fake', ...said } });
}
