/**
 * tRPC's view of a router, with the names that its own type has. It is ours, so that a program needs no declarations of
 * tRPC, which need those of Node.
 */
export interface RouterOf<Types, Procedures> {
  _def: {
    _config: {
      $types: Types;
      transformer: never;
      errorFormatter: never;
      allowOutsideOfServer: never;
      isServer: never;
      isDev: never;
      pathSeparator: never;
    };
    router: true;
    procedure?: never;
    procedures: Procedures;
    record: Procedures;
    lazy: never;
  };
  createCaller: never;
}

/** tRPC's view of a procedure, as `RouterOf` of a router. */
export interface ProcedureOf<Kind extends 'query' | 'mutation', Input, Output> {
  _def: {
    $types: { input: Input; output: Output; errorShape: unknown };
    procedure: true;
    type: Kind;
    meta: unknown;
    experimental_caller: boolean;
    inputs: never[];
  };
  meta: unknown;
  (options: unknown): Promise<Output>;
}
