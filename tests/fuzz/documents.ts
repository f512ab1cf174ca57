import { appRouter } from '@comanda/api/router';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Operation, Route } from '../../packages/api/src/call/operations.ts';
import { openApiDocument } from '../../packages/api/src/documents/openapi.ts';
import { operations } from '../support/documented.ts';

/** A JSON schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>;

/** A parameter of a documented operation. */
export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}

/** An operation as the OpenAPI document of its family describes it. */
export interface Documented {
  operation: Operation;
  route: Route;
  parameters: Parameter[];
  /** The schema of the JSON body, references and all. */
  body?: Schema;
  /** The document, for references. */
  document: Schema;
  /** The defect of the body of an answer, by the document; undefined when it is as documented. */
  fault(status: number, body: unknown): string | undefined;
}

/** Every operation of both OpenAPI documents. */
export async function documentedOperations(): Promise<Documented[]> {
  const all = await Promise.all((['v1', 'v2'] as const).map(fromDocument));
  return all.flat();
}

/** The target of a reference; anything else is itself. */
export function resolve(document: Schema, part: unknown): Schema {
  const reference = (part as Schema | undefined)?.$ref;
  if (typeof reference !== 'string') return (part ?? {}) as Schema;
  const path = reference.replace(/^#\//, '').split('/');
  return resolve(
    document,
    path.reduce<unknown>((at, name) => (at as Schema)[name], document),
  );
}

async function fromDocument(version: Route['version']): Promise<Documented[]> {
  const document = (await openApiDocument(appRouter, version)) as unknown as Schema;
  const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false });
  ajv.addSchema(document, version);
  const known = operations.flatMap((operation) =>
    operation.routes.filter((route) => route.version === version).map((route) => ({ operation, route })),
  );
  return known.map(({ operation, route }) => {
    const verb = route.method.toLowerCase();
    const described = ((document.paths as Schema)[route.path] as Schema)[verb] as Schema;
    const content = resolve(document, described.requestBody).content as Schema | undefined;
    const body = (content?.['application/json'] as Schema | undefined)?.schema as Schema | undefined;
    const validators = new Map<number, ValidateFunction | undefined>();
    const compile = (status: number): ValidateFunction | undefined => {
      const answer = (described.responses as Schema)[String(status)];
      if (answer === undefined) throw new Error(`the status ${status} is not documented`);
      const schema = (resolve(document, answer).content as Schema | undefined)?.['application/json'];
      if (schema === undefined) return undefined;
      const where = `${version}#${pointerTo(answer, [route.path, verb, String(status)])}`;
      return ajv.compile({ $ref: `${where}/content/application~1json/schema` });
    };
    return {
      operation,
      route,
      parameters: ((described.parameters ?? []) as unknown[]).map(
        (parameter) => resolve(document, parameter) as unknown as Parameter,
      ),
      ...(body !== undefined && { body }),
      document,
      fault(status, answered) {
        try {
          if (!validators.has(status)) validators.set(status, compile(status));
        } catch (error) {
          return String(error);
        }
        const validate = validators.get(status);
        return validate === undefined || validate(answered) ? undefined : ajv.errorsText(validate.errors);
      },
    };
  });
}

function pointerTo(answer: unknown, [path = '', verb, status]: string[]): string {
  const reference = (answer as Schema).$ref;
  if (typeof reference === 'string') return reference.slice(1);
  return `/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')}/${verb}/responses/${status}`;
}
