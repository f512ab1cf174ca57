import type { Operation } from '../request/operations.ts';

/** `orders.create` and `v1.orders.create` both as `ordersCreate`; unique within a document. */
export function operationId({ name }: Pick<Operation, 'name'>): string {
  return name.replace(/^v1\./, '').replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The component that an operation's body is: its schema's own name, else `orders.create` takes an `OrderCreate`. */
export function bodyName({ name, input }: Pick<Operation, 'name' | 'input'>): string {
  const own = input.meta()?.id;
  if (own !== undefined) return own;
  const [resource = '', verb = ''] = name.replace(/^v1\./, '').split('.');
  return capital(resource.replace(/ies$/, 'y').replace(/s$/, '')) + capital(verb);
}

/** The component that an operation's answer is, named after what it carries: `OrderResponse`, `ProductPage`. */
export function answerName({ name, isList }: Pick<Operation, 'name' | 'isList'>, schema: unknown): string {
  const { data } =
    (schema as { properties?: { data?: Named & { items?: Named } } } | undefined)?.properties ?? {};
  const carried = (data?.$ref ?? data?.items?.$ref)?.replace(/^.*\/(.*?)(Output)?$/, '$1');
  if (carried === undefined) throw new Error(`${name}: what it answers needs an id in its schema`);
  return carried + (isList ? 'Page' : 'Response');
}

interface Named {
  $ref?: string;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
