import type { oas31 } from 'zod-openapi';
import { componentWords, fieldWords, kindWords, parameterWords } from './field-words.ts';

type Described = { description?: string; anyOf?: Described[]; $ref?: string };

/** Says of every component, field and parameter of a document that says nothing itself what the tables of words have. */
export function describe(document: oas31.OpenAPIObject): oas31.OpenAPIObject {
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    const component = schema as Described & { properties?: Record<string, Described> };
    say(component, componentWords[name] ?? kindWords.find(([ending]) => name.endsWith(ending))?.[1]);
    for (const [field, property] of Object.entries(component.properties ?? {}))
      if (property.$ref === undefined) say(property, fieldWords[`${name}.${field}`] ?? fieldWords[field]);
  }
  for (const operations of Object.values(document.paths ?? {}))
    for (const { parameters = [] } of Object.values(operations as Record<string, oas31.OperationObject>))
      for (const parameter of parameters)
        if ('name' in parameter) say(parameter, parameterWords[parameter.name]);
  return document;
}

// A nullable schema is described by its other type.
function say(part: Described, words: string | undefined): void {
  const said =
    part.description ??
    part.anyOf?.find(({ description }) => description !== undefined)?.description ??
    words;
  if (said !== undefined) part.description = said;
}
