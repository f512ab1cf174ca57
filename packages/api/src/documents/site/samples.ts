import type { oas31 } from 'zod-openapi';
import { IdempotencyKey } from '../../wire.ts';
import { type Documented, isStream } from './documented.ts';
import { parametersOf } from './parameters.ts';
import { variablesOf } from './sample-variables.ts';
import { curl, node, python, type SampleCall } from './sample-writers.ts';

/** A language that every operation has a sample in. The sample reads the environment variables `COMANDA_URL` and `COMANDA_KEY`. */
export interface SampleLanguage {
  name: string;
  /** How Markdown names it. */
  fence: string;
  /** Its requirements, with the lowest version. */
  needs: string;
  write(call: SampleCall): string;
}

/** The languages, in the order of their tabs. Neither needs a package. */
export const sampleLanguages: readonly SampleLanguage[] = [
  { name: 'curl', fence: 'sh', needs: 'curl', write: curl },
  { name: 'Node', fence: 'js', needs: 'Node 18 or later, as a file `.mjs`', write: node },
  { name: 'Python', fence: 'python', needs: 'Python 3.8 or later', write: python },
];

/** The call of an operation. Throws when a required parameter has no example. */
export function sampleCall({ method, path, operation, components }: Documented): SampleCall {
  const content = (operation.requestBody as oas31.RequestBodyObject | undefined)?.content['application/json'];
  // With its own identifier in the body a second call would be a conflict, were it no repeat.
  const creates = Object.hasOwn(Object(content?.example), 'external_id') && method === 'POST';
  const needed = parametersOf(operation, components).filter(
    ({ name, required }) => required || (creates && name === 'Idempotency-Key'),
  );
  // The document has no example of the optional header.
  const values = new Map(
    needed.map(({ name, example }) => [
      name,
      String(name === 'Idempotency-Key' ? IdempotencyKey.meta()?.example : example),
    ]),
  );
  const of = (place: string) => needed.filter((each) => each.in === place).map(({ name }) => name);
  const value = (name: string) => {
    const known = values.get(name);
    if (known === undefined || known === 'undefined')
      throw new Error(`${method} ${path}: ${name} has no example`);
    return known;
  };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(value(name)));
  const query = of('query').map((name) => `${name}=${encodeURIComponent(value(name))}`);
  const headers = of('header').map((name): [string, string] => [name, value(name)]);
  return {
    method,
    streams: isStream({ operation }),
    path: query.length > 0 ? `${filled}?${query.join('&')}` : filled,
    headers: content === undefined ? headers : [...headers, ['Content-Type', 'application/json']],
    ...(content !== undefined && { body: content.example }),
    variables: variablesOf(operation.operationId ?? '', filled + JSON.stringify(content?.example ?? '')),
  };
}
