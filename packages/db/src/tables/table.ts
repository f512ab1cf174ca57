/** The columns of a Prisma model as the database has them: `imageUrl` is `image_url`. */
export type ColumnsOf<Model> = Snake<keyof Model & string>;

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

/** The properties of a column. Without a member: a change of it publishes no event, and no person edits it. */
export interface Column {
  /** A change of it is captured, and published by the relay. */
  published?: true;
  /** Its values before and after what a program did are kept in the audit (made/history.ts); it is `published` or in the `catalog`. */
  history?: true;
  /** It shows in `GET /v2/catalog`. */
  catalog?: true;
  /** Reads show it where `include` asks for it: it is in no JSON that is made of the columns. */
  onRequest?: true;
  /** Entries of other tables show it, too: `touched_by_<table>` touches them (changes.sql). */
  shownElsewhere?: true;
  /** Captured with the change: its value before and after; or its last value when the row is deleted. */
  recorded?: 'before and after' | 'at deletion';
  /** An admin may update it by SQL or in Studio. */
  edited?: true;
  /** Of a table that is `versioned: 'edited'`: a change of it is another revision, although no person edits it. */
  revises?: true;
  /** Its value is never kept in the audit, and people do not see it. */
  secret?: true;
  /** Characters that a text has, the least and the most; null is allowed where the column allows it. */
  length?: readonly [least: number, most: number];
  /** Of a numeric column: it refuses what is beyond, and what has more decimals. */
  number?: NumberRule;
  /** The identifier of a row of the catalog in the caller's own system: that of a new row has no blanks at its ends. */
  identifier?: true;
  /** The personal data that a person may have typed there, and how long it stays. */
  personal?: Personal;
  /** The sequence that its values come from, where that is shared by all locations. */
  sequence?: string;
}

/** The numbers that a column takes. The bounds are texts, because some have more digits than a number of JavaScript. */
export interface NumberRule {
  least: string;
  most: string;
  /** The most decimals. */
  decimals: number;
}

/** An amount of money. */
export const money: NumberRule = { least: '0', most: '9999999999.99', decimals: 2 };

/** A quantity of stock. */
export const stock: NumberRule = { least: '0', most: '9999999999.999', decimals: 3 };

/** A percentage. */
export const percentage: NumberRule = { least: '0', most: '100', decimals: 4 };

/** Personal data, as the operator's guide lists it. */
export interface Personal {
  /** The kind of data that may be there. */
  what: string;
  /**
   * The text that `comanda erase --order` writes there instead; `copies` where it empties what the text copies from
   * orders.
   */
  erasedTo?: 'empty' | 'null' | 'copies';
  /** Until when it stays otherwise: a setting such as `KEEP_EVENTS_DAYS`, or in words. */
  until?: string;
}

/** How the changes of a table are published. */
export interface Published {
  /** The name of the resource in `captured_changes` and the relay. */
  as: string;
  /** The column that has the id of the resource. */
  id: string;
  on: readonly Operation[];
  /** A deletion is captured with the last state of the resource, as `<table>_json` shows it; `on` names none then. */
  lastState?: true;
  /**
   * The functions made of the published columns in addition to triggers. `whole`: `<table>_json` and
   * `write_<table>_row`. `part`, for a resource that shows more than its columns: `<table>_columns`,
   * `<table>_in_catalog`, `write_<table>_row`.
   */
  json?: 'whole' | 'part';
  /** `place_order_batch`, `move_order_batch` and `move_payment_batch` capture and count their own changes of this table, for speed (orders.sql, money.sql). */
  capturedByPlaceOrder?: true;
  /** Its list reports deletions: each is kept in `deleted_records` (changes.sql). */
  keepsDeletions?: true;
  /** Rows `r` are counted in tallies (tallies.sql) by this expression and moment. */
  counted?: { by: string; at: string };
}

/** The operation of a statement. */
export type Operation = 'insert' | 'update' | 'delete';

/**
 * A change of a row that is never allowed; the sentence says what to do instead. `when` is an SQL condition on OLD
 * and NEW.
 */
export type Guard<Name extends string = string> =
  /** These columns never change. `whateverDeed`: no deed passes. */
  | { never: readonly Name[]; sentence: string; when?: string; whateverDeed?: true }
  /** Such a row is not deleted on its own. It goes with its location or its parent, by cascade. */
  | { kept: string; when?: string }
  /** Such statements are the service's, or a trigger's of what a person edits. */
  | { serviceOnly: 'insert' | 'all'; sentence: string }
  /** Lines of an order, which a person writes with the order and never again (hand_orders.sql). */
  | { lines: string };

/** The events that an edit by a person publishes, or why it publishes none. */
export type EditEvents<Name extends string = string> =
  | {
      publish: readonly string[];
      /** Columns that may be edited, whose edit alone publishes nothing. */
      except?: readonly Name[];
      /** Which rows alone are meant: `of the published menu`. */
      rows?: string;
    }
  | { publish?: never; unpublished: string };

/** The treatment of a table's rows by a reset of a sandbox. */
export type SandboxReset =
  /** They are removed. */
  | 'emptied'
  /** They are removed once no order can come: orders name them, or answers name what was removed. */
  | 'emptied last'
  /** Before and after that. */
  | 'emptied twice'
  /** They stay: the text says why. */
  | { kept: string };

/** How rows come and go with a location. */
export type Belonging = OfLocation | OfKey | PartOf;

/** Rows of a location. */
export interface OfLocation extends Exported {
  to?: never;
  partOf?: never;
  sandbox: SandboxReset;
  /** A reset leaves rows for which this does not hold. */
  emptiedWhen?: string;
}

/** Rows of a key of a location: they name the key alone. */
export interface OfKey extends Exported {
  to: 'key';
  partOf?: never;
  sandbox: Extract<SandboxReset, { kept: string }>;
  emptiedWhen?: never;
}

/** Rows that go with those of another table, by foreign keys that cascade: in a sandbox, too. */
export interface PartOf extends Exported {
  to?: never;
  partOf: string;
  sandbox?: never;
  emptiedWhen?: never;
}

interface Exported {
  /** The columns that an export reads it by; its key by default. */
  readBy?: string;
  /** Triggers write it while other rows come: what they wrote during an import is replaced by what was exported. */
  derived?: true;
  /** Work that waits. The copy of a location that is still active has none: it is done where the location is. */
  pending?: true;
  /**
   * A changed row is updated in the copy of a location; others are deleted and inserted again, with the rows that name them. For rows
   * that change often and are named by many.
   */
  updatedInCopy?: true;
}

/** The privileges of each role on rows, except the owner, which may do everything. */
export interface Access {
  service: readonly (Operation | 'select')[];
  /**
   * The privileges of people: `edit` rows, that is insert and delete them and update the columns that are `edited`;
   * `keep`, the same without deletion; `read`; `none`. An admin may also name each column that a guard names, so that
   * the guard answers.
   */
  people: 'edit' | 'keep' | 'read' | 'none';
}

/** A table, with everything that the database, the command line and the documents derive from it. */
export interface Table<Name extends string = string> {
  name: string;
  schema: 'public' | 'internal';
  /** The primary key, without `location_id`. */
  key: readonly Name[];
  columns: Readonly<Record<Name, Column>>;
  access: Access;
  /** Null for what no location has. */
  belongs: Belonging | null;
  published?: Published;
  /** Of each table that people edit. */
  editEvents?: EditEvents<Name>;
  /**
   * The function that holds texts to their lengths, where a CHECK would cost every write; `<table>_length_fault` is made for it.
   * A trigger calls it when a text changes, or one of `onUpdateOf`.
   */
  lengthsHeldBy?: { function: string; onUpdateOf?: readonly Name[] };
  /**
   * The table has a `revision`, from which the entity tag of a row is made, and changes of these move it: of the
   * columns that are `edited`, or of any column, where the row is touched for rows that belong to it. It is never
   * written by hand.
   */
  versioned?: 'edited' | 'any';
  /** Without one, id, location and creation of what is published by its id never change. */
  guards?: readonly Guard<Name>[];
  /** Studio deletes no row, though SQL may delete some: what a person does instead. */
  keptInStudio?: string;
}

/** A row as it is written. */
type Row<Name extends string> = Pick<
  Table<Name>,
  'columns' | 'belongs' | 'editEvents' | 'lengthsHeldBy' | 'versioned' | 'guards' | 'keptInStudio'
> & {
  schema?: 'internal';
  /** `id`, unless it says so. */
  key?: readonly Name[];
  people: Access['people'];
  /** Everything, unless it says so. */
  service?: Access['service'];
  /** By its `id`, and on every operation, unless it says so. */
  published?: Omit<Published, 'id' | 'on'> & Partial<Pick<Published, 'id' | 'on'>>;
  /** The first of the guards: all statements are the service's. */
  serviceOnly?: string;
};

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** The names in a text. */
export const words = <Text extends string>(...texts: readonly Text[]) =>
  texts.flatMap((text) => text.split(' ')) as Words<Text>[];

/** Columns without properties, by their names in a text. */
export const plain = <Text extends string>(...texts: readonly Text[]) =>
  Object.fromEntries(words(...texts).map((name) => [name, {}])) as Record<Words<Text>, Column>;

/** A row of the table of tables. It must have every column of its model. */
export const table =
  <Model>() =>
  (name: string, row: Row<ColumnsOf<Model>>): Table => {
    // Names of columns matter here alone; what derives from tables takes any.
    const { people, service = operations, published, serviceOnly, guards, ...rest } = row as Row<string>;
    const closed: Guard[] = serviceOnly === undefined ? [] : [{ serviceOnly: 'all', sentence: serviceOnly }];
    return {
      name,
      schema: 'public',
      key: ['id'],
      access: { people, service },
      ...rest,
      ...(published && { published: { id: 'id', on: published.lastState ? made : all, ...published } }),
      ...((serviceOnly ?? guards) && { guards: [...closed, ...(guards ?? [])] }),
    };
  };

/** Whether rows are kept in the audit when a person edits them. */
export const isAudited = ({ access, guards = [] }: Table): boolean =>
  access.people === 'edit' ||
  access.people === 'keep' ||
  (access.people === 'read' &&
    !guards.some((guard) => 'serviceOnly' in guard && guard.serviceOnly === 'all'));

const made = ['insert', 'update'] as const;
const all = [...made, 'delete'] as const;
const operations = ['select', ...all] as const;
