/** The fields that a reader fills in to send the call of an operation. */
export interface CallForm {
  method: string;
  /** `/v2/orders/{id}` */
  path: string;
  fields: Field[];
  /** The JSON of the sample; absent where the operation takes none. */
  body?: string;
}

/** One parameter. */
export interface Field {
  name: string;
  place: 'path' | 'query' | 'header';
  required: boolean;
  /** The values that it may have, where these are few. */
  choices?: string[];
  /** The initial value: that of the sample where it is required, else nothing. */
  initial: string;
}

/** As much of an OpenAPI document as the form is made of. */
export interface OpenApi {
  paths?: Record<string, Record<string, Operation>>;
}

interface Operation {
  operationId?: string;
  parameters?: (Parameter | Reference)[];
  requestBody?: { content?: { 'application/json'?: { example?: unknown } } };
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  example?: unknown;
  schema?: Schema | Reference;
}

interface Schema {
  type?: string | string[];
  enum?: unknown[];
}

interface Reference {
  $ref: string;
}

/** The form of the operation with this `operationId`; `undefined` where the document does not have it. */
export function formOf(document: OpenApi, operationId: string): CallForm | undefined {
  for (const [path, methods] of Object.entries(document.paths ?? {}))
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId !== operationId) continue;
      const example = operation.requestBody?.content?.['application/json']?.example;
      return {
        method: method.toUpperCase(),
        path,
        fields: (operation.parameters ?? []).map((each) =>
          fieldOf(resolve<Parameter>(each, document), document),
        ),
        ...(operation.requestBody !== undefined && { body: JSON.stringify(example ?? {}, null, 2) }),
      };
    }
  return undefined;
}

/** `ordersCreate` for the page `reference/v2/orders-create.md`. */
export const operationIdOf = (page: string): string =>
  page.replace(/^.*\/|\.md$/g, '').replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

function fieldOf(
  { name, in: place, required = false, example, schema = {} }: Parameter,
  document: OpenApi,
): Field {
  const { type, enum: values } = resolve<Schema>(schema, document);
  const choices = type === 'boolean' ? ['true', 'false'] : values?.map(String);
  return {
    name,
    place: place === 'path' || place === 'header' ? place : 'query',
    required,
    ...(choices !== undefined && { choices }),
    initial: required && example !== undefined ? String(example) : '',
  };
}

function resolve<Found extends object>(referred: Found | Reference, document: OpenApi): Found {
  if (!('$ref' in referred)) return referred;
  const found = referred.$ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((within, name) => (within as Record<string, unknown> | undefined)?.[name], document);
  if (found === undefined) throw new Error(`${referred.$ref} is not in the document`);
  return resolve(found as Found | Reference, document);
}
