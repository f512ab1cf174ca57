import type { ClientRouter } from '@comanda/client';
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

/** The input of a procedure. */
export type ProcedureInput<Path extends Procedure> = inferProcedureInput<CallAt<Path>>;

/** The output of a procedure. */
export type ProcedureOutput<Path extends Procedure> = inferProcedureOutput<CallAt<Path>>;
