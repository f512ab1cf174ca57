/** A part of a JSON Schema, for `.meta()`: what zod checks by a function, said for the documents. */
export type SchemaPart = Readonly<Record<string, unknown>>;

/**
 * A value is valid only if it keeps all these rules. As `if` and `else`, which validators keep and generators ignore:
 * from an `allOf`, `oneOf` or `not` next to `properties` most of them make a type that allows anything.
 */
export const onlyIf = (...rules: SchemaPart[]): SchemaPart => ({
  if: rules.length === 1 ? rules[0] : { allOf: rules },
  // `false` would say the same, but linters want an object here.
  else: { not: {} },
});

/** Exactly one of these fields is given. */
export const exactlyOne = (...names: string[]): SchemaPart => ({
  oneOf: names.map((name) => ({ required: [name] })),
});

/** These fields are given, unless `delete` is `true`. */
export const givenUnlessDeleted = (...names: string[]): SchemaPart => ({
  anyOf: [{ required: names }, { required: ['delete'], properties: { delete: { const: true } } }],
});

/** The extension that names what a parameter excludes. */
export const excludesKey = 'x-excludes';

/** The parameter must not be given together with these. OpenAPI has no word for it. */
export const excludes = (...names: string[]): SchemaPart => ({ [excludesKey]: names });

/**
 * The extension that says how many decimals a number may have. `multipleOf: 0.01` would refuse right prices: validators divide, and
 * 1.13 / 0.01 is not whole in binary.
 */
export const decimalsKey = 'x-decimals';
