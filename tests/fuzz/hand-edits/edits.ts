import type pg from 'pg';
import { copyIn } from '../../support/by-hand.ts';
import type { Chance } from '../../support/chance.ts';
import type { Statement } from './forms.ts';
import type { SessionKind } from './sessions.ts';
import { copyFrom, insert, randomStatement } from './statements.ts';
import type { Table } from './tables.ts';
import type { Place } from './values.ts';

/** The work of a person in one transaction. */
export interface Edit {
  kind: SessionKind;
  client: pg.Client;
  begin: string;
  statements: Statement[];
  end: 'commit' | 'rollback';
}

/** The parts of an edit. */
export interface Material {
  chance: Chance;
  tables: readonly Table[];
  /** SQL of the id of the location that is looked at. */
  location: string;
  /** Whether the session may make a function of its own. */
  functions: boolean;
  next(): number;
}

const control = (text: string): Statement => ({ text, tables: [] });

/** A random edit: a statement, some with savepoints, an order, or a deed. */
export function randomEdit(given: Omit<Material, 'functions'>, kind: SessionKind, client: pg.Client): Edit {
  const { chance } = given;
  const material = { ...given, functions: kind.functions };
  const one = () => randomStatement({ ...material, table: likelyTable(material) });
  const roll = chance.between(1, 100);
  const statements =
    roll <= 62
      ? [one()]
      : roll <= 80
        ? [
            one(),
            control('savepoint s'),
            one(),
            ...(chance.percent(30) ? [control('rollback to s')] : []),
            one(),
          ]
        : roll <= 93 || !kind.deeds
          ? order(material)
          : deed(material);
  return {
    kind,
    client,
    statements,
    begin: chance.percent(85)
      ? 'begin'
      : `begin isolation level ${chance.pick(['repeatable read', 'serializable'])}`,
    end: chance.percent(92) ? 'commit' : 'rollback',
  };
}

/** Tables that people edit come more often than those that are the service's, where nothing is ever accepted. */
function likelyTable({ chance, tables }: Material): Table {
  const peoples =
    /^(locations|categories|products|product_|subselection|menu|payment_methods|turns|orders|payments|api_keys|webhook_endpoints)/;
  return chance.pick(chance.percent(80) ? tables.filter(({ name }) => peoples.test(name)) : tables);
}

function tableNamed({ tables }: Material, name: string): Table {
  const table = tables.find((known) => known.name === name);
  if (table === undefined) throw new Error(`there is no table ${name}`);
  return table;
}

const drafted = `(select id from orders where number < 0 order by created_at desc, id desc limit 1)`;

/** An order by hand: its row, lines, perhaps a payment, in any form. */
function order(material: Material, given: Record<string, string> = {}): Statement[] {
  const { chance, location } = material;
  const place = (name: string): Place => ({ ...material, table: tableNamed(material, name) });
  const method = `(select id from payment_methods where location_id = ${location} order by id offset ${chance.between(0, 1)} limit 1)`;
  const own = { location_id: location, ...(chance.percent(85) && { payment_method_id: method }) };
  const plain = chance.percent(60);
  const head = plain
    ? `insert into orders (location_id, payment_method_id) values (${location}, ${method})`
    : insert(place('orders'), { ...own, ...given });
  const line = (): Statement => {
    const tables = ['order_items'];
    const of = { location_id: location, order_id: drafted };
    const product = `(select id from products where location_id = ${location} order by sku offset ${chance.between(0, 4)} limit 1)`;
    if (chance.percent(50))
      return {
        text: `insert into order_items (location_id, order_id, product_id, quantity) values (${location}, ${drafted}, ${product}, ${chance.between(1, 9)})`,
        tables,
      };
    const own = { ...of, product_id: product };
    return chance.percent(30)
      ? copyFrom(place('order_items'), own)
      : { text: insert(place('order_items'), own), tables };
  };
  return [
    { text: head, tables: ['orders'] },
    ...Array.from({ length: chance.between(1, 3) }, line),
    ...(chance.percent(25)
      ? [
          {
            text: insert(place('payments'), { location_id: location, order_id: drafted }),
            tables: ['payments'],
          },
        ]
      : []),
    ...(chance.percent(25)
      ? [randomStatement({ ...place(chance.pick(['orders', 'order_items', 'payments'])) })]
      : []),
  ];
}

/** A deed, and the statements under its name. Its author is responsible for the guards that it passes, so only documented ones are used. */
function deed(material: Material): Statement[] {
  const { chance, location } = material;
  const other = `(select id from locations where id <> ${location} order by id limit 1)`;
  const imported = {
    ...(chance.percent(50) && { number: `${chance.between(1, 9)}000000 + ${material.next()}` }),
    ...(chance.percent(50) && { status: `'${chance.pick(['pending', 'ready', 'closed', 'canceled'])}'` }),
  };
  return chance.pick<() => Statement[]>([
    () => [control(`select deed('import: the fuzzer')`), ...order(material, imported)],
    () => [
      control(`select deed('purge: the fuzzer')`),
      { text: `delete from locations where id = ${other}`, tables: ['locations'] },
    ],
    () => [
      control(`select deed('retention: the fuzzer')`),
      { text: `delete from audit_entries where location_id = ${location}`, tables: ['audit_entries'] },
    ],
    () => [
      control(`select deed('migration: the fuzzer')`),
      { text: `truncate ${chance.pick(material.tables).name} cascade`, tables: [] },
    ],
  ])();
}

// The refusals that a person may get: from constraints, guards, types, privileges, limits, or another transaction.
// Never a fault inside a trigger, which would be of class XX, P0, 0A or 2F.
const refused = /^(22|23|25P02|40|42501|428|42804|42P10|55P03|54000|55006|21000|27000|CM0)/;

/** Performs a statement; null where the number of changed rows is unknown. */
async function perform(
  client: pg.Client,
  { before, text, lines, counted }: Statement,
): Promise<number | null> {
  if (before !== undefined) await client.query(before);
  if (lines !== undefined) {
    const { rows } = await client.query<{ line: string }>(lines);
    return copyIn(
      client,
      text,
      rows.map(({ line }) => line),
    );
  }
  const { rowCount } = await client.query(text);
  if (counted === undefined) return rowCount;
  const { rows } = await client.query<{ rows: number }>(counted);
  return rows[0]?.rows ?? null;
}

/** The outcome of an edit. */
export interface Outcome {
  /** The tables that it changed; none when it was refused, rolled back, or met no row. */
  changed: Set<string>;
  /** When its transaction began; absent when nothing was committed. */
  moment?: string;
}

/**
 * Runs it, and returns each statement with its outcome; the row of the location under test stays.
 * @throws {Error} when a statement met a fault where it should have met a refusal.
 */
export async function run(
  { kind, client, begin, statements, end }: Edit,
  location: string,
  tell: (line: string) => void,
): Promise<Outcome> {
  const changed: string[] = [];
  let savepoint: number | undefined;
  const attempt = async (statement: Statement): Promise<number | undefined> => {
    const shown = [statement.before, statement.text, statement.lines]
      .filter((part) => part !== undefined)
      .join(';\n  ');
    try {
      const count = await perform(client, statement);
      tell(`${shown};${count === null ? '' : ` -- ${count}`}`);
      return count ?? 0;
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      tell(`${shown}; -- refused: ${code} ${message}`);
      if (!refused.test(code))
        throw new Error(`a fault, not a refusal: ${code} ${message}\n${shown}`, { cause: error });
      return undefined;
    }
  };
  const giveUp = async () => {
    await attempt(control('rollback'));
    return { changed: new Set<string>() };
  };
  tell(`-- ${kind.name}`);
  await attempt(control(begin));
  for (const statement of statements) {
    const { text, tables } = statement;
    if (text === 'savepoint s') savepoint = changed.length;
    const count = await attempt(statement);
    const goesOn =
      count !== undefined ||
      (savepoint !== undefined && (await attempt(control('rollback to s'))) !== undefined);
    if (!goesOn) return giveUp();
    if ((count === undefined || text === 'rollback to s') && savepoint !== undefined)
      changed.length = savepoint;
    if (count !== undefined && count > 0) changed.push(...tables);
  }
  const { rows } = await client.query<{ moment: string }>(
    `select now()::timestamptz(3)::text as moment from locations where id = ${location}`,
  );
  const [here] = rows;
  if (here === undefined || end === 'rollback' || (await attempt(control('commit'))) === undefined)
    return giveUp();
  return { changed: new Set(changed), moment: here.moment };
}
