import type { EventType } from './events.ts';
import type {
  ChangesPage,
  Included,
  Order,
  OrderAsSold,
  OrderSummary,
  Payment,
  Product,
  PublishedEvent,
} from './surface.ts';

/** The options of a call in addition to its input. */
export interface CallOptions {
  /** Ends the call. */
  signal?: AbortSignal | undefined;
  /** `headers` are sent with this call, in addition to those of the client. */
  context?: { headers?: Readonly<Record<string, string>> | undefined; [name: string]: unknown } | undefined;
}

/** Every operation of a router as a function, by its name. */
export type Operations<Procedures> = {
  [Name in keyof Procedures]: Procedures[Name] extends {
    _def: { type: infer Kind; $types: { input: infer Input; output: infer Output } };
  }
    ? Kind extends 'query'
      ? { query: Query<Input, Output> }
      : { mutate: Ask<Input, Output> }
    : Operations<Procedures[Name]>;
};

type Ask<Input, Output> = (input: Input, options?: CallOptions) => Promise<Output>;

type Query<Input, Output> = 'include' extends keyof Given<Input>
  ? <const Asked extends readonly IncludeOf<Input>[] = []>(
      input: With<Input, 'include', Asked>,
      options?: CallOptions,
    ) => Promise<Including<Output, IncludeOf<Input>, Asked>>
  : 'types' extends keyof Given<Input>
    ? <const Type extends EventType = EventType>(
        input: With<Input, 'types', readonly Type[]>,
        options?: CallOptions,
      ) => Promise<EventType extends Type ? Output : Replaced<Output, { data: EventOf<Type>[] }>>
    : Ask<Input, Output>;

/** An event as it is published, of one type or of several. */
export type EventOf<Type extends EventType> = EventType extends Type
  ? PublishedEvent
  : Extract<PublishedEvent, { type: Type }>;

/** The input of an operation, where it has one. */
export type Given<Input> = Exclude<Input, void>;

/** The input with another type of one of its fields; it can be left out of a call where it could before. */
export type With<Input, Name extends string, Value> =
  | Extract<Input, void>
  | (Omit<Given<Input>, Name> & { [Key in Name]?: Value | undefined });

/** The names that `include` of an operation takes. */
export type IncludeOf<Input> =
  Given<Input> extends { include?: readonly (infer Name extends string)[] | undefined } ? Name : never;

/** The fields of an answer for the names that `include` had; all of them, perhaps, where these are not known. */
export type Including<
  Output,
  Known extends string,
  Asked extends readonly string[],
> = number extends Asked['length']
  ? Output
  : Output extends ChangesPage<infer Entry>
    ? ChangesPage<Showing<Entry, Known, Asked[number]>> & DeletedIn<Output, Asked[number]>
    : Showing<Output, Known, Asked[number]>;

type DeletedIn<Output, Asked> = 'deleted' extends Asked
  ? Required<Pick<Output, 'deleted' & keyof Output>>
  : unknown;

/**
 * A resource with the fields that were asked for by `include`, and without those that were not: under the name of the shape
 * that has exactly these fields, if there is one, since editors show it.
 */
export type Showing<Resource, Known extends string, Asked extends string> = ByName<
  Pick<Whole<Resource>, Exclude<keyof Resource, Hidden<Known, Asked>>>,
  | (Resource extends Whole<Resource> ? Resource : never)
  | ([Extract<Asked, OfItems>] extends [never] ? Order | OrderSummary | Payment | Product : OrderAsSold)
>;

/** The names that `include` has for fields of the items. */
type OfItems = 'snapshot' | 'tax' | 'details';

type ByName<Shown, Named> = [WithFields<Named, Shown>] extends [never] ? Shown : WithFields<Named, Shown>;

type WithFields<Named, Shown> = Named extends unknown
  ? [keyof Named, keyof Shown, Shown] extends [keyof Shown, keyof Named, Named]
    ? Named
    : never
  : never;

/** With what is there for certain where it was asked for. */
type Whole<Resource> = Resource & {
  [Field in keyof Resource as Field & ('items' | 'deleted')]-?: Resource[Field];
};

/** A read, which has no `items` to ask for, has the fields of `details` anyway: there the name adds to the lines. */
type Hidden<Known extends string, Asked extends string> = Exclude<
  FieldsOf<'items' extends Known ? Known : Exclude<Known, 'details'>>,
  FieldsOf<Asked>
>;
type FieldsOf<Name extends string> = Included[Name & keyof Included];

type Replaced<All, Part> = Omit<All, keyof Part> & Part;
