import type { oas31 } from 'zod-openapi';

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
