/** The kinds of objects that a folder of SQL may hold; none of them holds data. */
export const objectKinds = ['function', 'procedure', 'view', 'trigger'] as const;

/** One of them. */
export type ObjectKind = (typeof objectKinds)[number];

/** The name of an object: each part is a plain word in lower case, without its schema. */
export interface ObjectName {
  kind: ObjectKind;
  name: string;
  /** Of a trigger. */
  table?: string;
}

/** As it is reported and recorded: `function place_order_batch`, `trigger touch on products`. */
export const identityOf = ({ kind, name, table }: ObjectName): string =>
  `${kind} ${nameAndTable(name, table)}`;

/** The name that `identityOf` has written. */
export function nameOf(identity: string): ObjectName {
  const [, what, name, table] = /^(\w+) (\w+)(?: on (\w+))?$/.exec(identity) ?? [];
  const kind = objectKinds.find((each) => each === what);
  if (kind === undefined || name === undefined) throw new Error(`sql_objects has an unknown ${identity}`);
  return { kind, name, ...(table !== undefined && { table }) };
}

/** The SQL that drops it, if it is there. */
export const dropping = ({ kind, name, table }: ObjectName): string =>
  `drop ${kind} if exists ${nameAndTable(name, table)}`;

const nameAndTable = (name: string, table?: string): string =>
  table === undefined ? name : `${name} on ${table}`;
