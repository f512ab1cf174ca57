import type { oas31 } from 'zod-openapi';
import { kebab } from './markdown.ts';

/** An operation of a document, with its path and method. */
export interface Documented {
  version: 'v1' | 'v2';
  /** `POST` */
  method: string;
  /** `/v2/orders/{id}` */
  path: string;
  operation: oas31.OperationObject;
  components: oas31.ComponentsObject;
}

/** Every operation of a document, in its order. */
export function documentedOf(version: 'v1' | 'v2', document: oas31.OpenAPIObject): Documented[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      version,
      method: method.toUpperCase(),
      path,
      operation: operation as oas31.OperationObject,
      components: document.components ?? {},
    })),
  );
}

/** Whether its answer is a stream, which does not end. */
export const isStream = ({ operation: { responses } }: Pick<Documented, 'operation'>): boolean =>
  'text/event-stream' in ((responses?.['200'] as oas31.ResponseObject | undefined)?.content ?? {});

/** `Create an order (v2)`: the title of its page. */
export const titleOf = ({ version, operation }: Documented): string =>
  `${operation.summary ?? ''} (${version})`;

/** `reference/v2/orders-create` */
export const pathOf = ({ version, operation }: Documented): string =>
  `reference/${version}/${kebab(operation.operationId ?? '')}`;

/** The parameters of an operation, those that it refers to as well. Throws for one that the document does not have. */
export function parametersOf(
  { parameters = [] }: oas31.OperationObject,
  components: oas31.ComponentsObject,
): oas31.ParameterObject[] {
  return parameters.map((each) => {
    if (!('$ref' in each)) return each;
    const found = components.parameters?.[each.$ref.replace('#/components/parameters/', '')];
    if (found === undefined) throw new Error(`${each.$ref} is not in the document`);
    return found as oas31.ParameterObject;
  });
}
