import { appRouter } from '@comanda/api/router';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../packages/api/src/documents/openapi.ts';

/** An operation as its document shows it, every reference resolved, and nothing from elsewhere. */
export interface DocumentedOperation {
  /** `GET /v2/orders` */
  name: string;
  version: 'v1' | 'v2';
  method: string;
  path: string;
  parameters: Parameter[];
  /** The example of the body, of an operation that has one. */
  body?: unknown;
  success: DocumentedResponse;
  errors: DocumentedResponse[];
}

/** A parameter with its example, if it has one. */
export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  explode: boolean;
  example: unknown;
}

/** An answer that carries JSON. */
export interface DocumentedResponse {
  status: number;
  headers: string[];
  example: unknown;
  /** The violations of the schema in the document by a value. */
  faults(value: unknown): string[];
}

/** Every operation of a document; a stream, which does not end, is none. */
export async function documentedOperations(version: 'v1' | 'v2'): Promise<DocumentedOperation[]> {
  const document = JSON.parse(JSON.stringify(await openApiDocument(appRouter, version))) as Json;
  const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false, allErrors: true });
  ajv.addSchema(document, version);
  const resolve = (node: Json): Json =>
    typeof node.$ref === 'string' ? at(document, pointerOf(node.$ref)) : node;
  const responseOf = (pointer: string[], status: string): DocumentedResponse => {
    const node = at(document, pointer);
    const found = typeof node.$ref === 'string' ? pointerOf(node.$ref) : pointer;
    const { headers, content } = at(document, found) as { headers?: Json; content?: Json };
    const media = content?.['application/json'] as { example?: unknown } | undefined;
    if (media === undefined) throw new Error(`${pointer.join(' ')} has no JSON`);
    const schema = [...found, 'content', 'application/json', 'schema'].map(escaped).join('/');
    const validate = ajv.compile({ $ref: `${version}#/${schema}` });
    return {
      status: Number(status),
      headers: Object.keys(headers ?? {}),
      example: media.example,
      faults: (value) => (validate(value) ? [] : (validate.errors ?? []).map(faultText)),
    };
  };
  return Object.entries(document.paths as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !isStream(operation))
      .map(([method, operation]): DocumentedOperation => {
        const body = operation.requestBody as { content: Record<string, Json> } | undefined;
        const responses = operation.responses as Json;
        const responsesOf = (from: number, to: number) =>
          Object.keys(responses)
            .filter((status) => Number(status) >= from && Number(status) <= to)
            .map((status) => responseOf(['paths', path, method, 'responses', status], status));
        const [success, ...others] = responsesOf(200, 299);
        if (success === undefined || others.length > 0) throw new Error(`${path}: one success is expected`);
        return {
          name: `${method.toUpperCase()} ${path}`,
          version,
          method: method.toUpperCase(),
          path,
          parameters: ((operation.parameters ?? []) as Json[]).map((each) => parameterOf(resolve(each))),
          ...(body !== undefined && { body: body.content['application/json']?.example }),
          success,
          errors: responsesOf(400, 599),
        };
      }),
  );
}

/**
 * The places where a value differs from every example: an unknown field, another JSON type. A field that an
 * example shows may be missing: the schema says which must not be. Entries that differ by `type` or `kind` are
 * compared with entries of the same one.
 */
export function unlike(value: unknown, examples: readonly unknown[], where = ''): string[] {
  const shown = examples.filter((example) => kindOf(example) === kindOf(value));
  if (shown.length === 0) return [`${where}: ${kindOf(value)} is not in the example`];
  if (Array.isArray(value)) {
    const entries = (shown as unknown[][]).flat();
    return value.flatMap((entry, index) => unlike(entry, entries, `${where}[${index}]`));
  }
  if (!isObject(value)) return [];
  const alike = (shown as Json[]).filter(({ type, kind }) => type === value.type && kind === value.kind);
  return Object.entries(value).flatMap(([name, member]) => {
    const members = alike.filter((example) => name in example).map((example) => example[name]);
    // A variant that the example does not show is for the schema alone.
    return alike.length === 0 ? [] : unlike(member, members, `${where}.${name}`);
  });
}

type Json = Record<string, unknown>;

function parameterOf(node: Json): Parameter {
  const { examples } = (node.schema ?? {}) as { examples?: unknown[] };
  return {
    name: String(node.name),
    in: node.in as Parameter['in'],
    required: node.required === true,
    explode: node.explode !== false,
    example: node.example ?? examples?.[0],
  };
}

function at(document: Json, pointer: readonly string[]): Json {
  return pointer.reduce<Json>((node, name) => {
    const next = node[name];
    if (!isObject(next)) throw new Error(`the document has nothing at ${pointer.join(' ')}`);
    return next;
  }, document);
}

const pointerOf = (reference: string): string[] =>
  reference
    .slice(2)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
const escaped = (name: string): string =>
  encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
const faultText = ({ instancePath, message }: ErrorObject): string => `${instancePath} ${message}`;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;

/** Whether it answers server-sent events. */
const isStream = ({ responses }: Json): boolean =>
  JSON.stringify((responses as Json)['200'] ?? '').includes('"text/event-stream"');
