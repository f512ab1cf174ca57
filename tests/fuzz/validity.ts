import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { decimalsKey, excludesKey } from '../../packages/api/src/schema-words.ts';
import { type Documented, resolve, type Schema } from './documents.ts';
import { Existing } from './values.ts';

/** A request by its parts, as they are read from it: `query` and `path` hold texts. */
export interface Parts {
  path: Record<string, string>;
  query: Record<string, string>;
  idempotencyKey: string | undefined;
  body: unknown;
}

const ajv = new Ajv2020({ strict: false, validateSchema: false });
ajv.addFormat('date', (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)));
ajv.addFormat('date-time', (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text));
ajv.addKeyword({
  keyword: decimalsKey,
  type: 'number',
  validate: (most: number, value: number) => (/\.(\d+)$/.exec(String(value))?.[1] ?? '').length <= most,
});

const validators = new WeakMap<object, ValidateFunction>();
const known = new Set<unknown>();

function validatorOf(document: Schema, schema: Schema): ValidateFunction {
  const id = String((document.info as Schema).version);
  if (!known.has(id)) ajv.addSchema(document, id);
  known.add(id);
  const made =
    validators.get(schema) ??
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', `"${id}#/components/`)));
  validators.set(schema, made);
  return made;
}

/** The fault of a request by the document; undefined for one that it allows. */
export function faultOf({ document, parameters, body }: Documented, parts: Parts): string | undefined {
  for (const { name, in: place, required, schema } of parameters) {
    if (place === 'header' && name !== 'Idempotency-Key') continue;
    const text = place === 'header' ? parts.idempotencyKey : parts[place as 'path' | 'query'][name];
    if (text === undefined) {
      if (required) return `${name} is missing`;
      continue;
    }
    const excluded = ((schema[excludesKey] ?? []) as string[]).filter((other) => other in parts.query);
    if (excluded.length > 0) return `${name} and ${excluded.join()} exclude each other`;
    const validate = validatorOf(document, schema);
    if (!validate(asRead(resolve(document, schema), text)))
      return `${name}: ${ajv.errorsText(validate.errors)}`;
  }
  if (body === undefined) return undefined;
  const validate = validatorOf(document, body);
  return validate(parts.body) ? undefined : ajv.errorsText(validate.errors);
}

/** Whether a value keeps the conditions between the fields of its schema; references to what exists count as texts. */
export function keepsConditions(schema: Schema, value: unknown): boolean {
  const condition = schema.if as Schema | undefined;
  if (condition === undefined) return true;
  const validate = validators.get(condition) ?? ajv.compile(condition);
  validators.set(condition, validate);
  return validate(
    JSON.parse(JSON.stringify(value, (_, member) => (member instanceof Existing ? 'x' : member))),
  );
}

/** The value of a parameter as its text says it. */
function asRead(schema: Schema, text: string): unknown {
  if (schema.type === 'array') return text.split(',');
  if (schema.type === 'integer' || schema.type === 'number')
    return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (schema.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}
