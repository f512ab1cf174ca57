import type { Table } from './table.ts';

/** A personal column that `comanda erase --order` empties, and what it writes there. */
export interface ErasedColumn {
  name: string;
  to: 'empty' | 'null';
}

/** The columns of a table that hold what a person wrote in an order. */
export const erasedColumns = ({ columns }: Table): ErasedColumn[] =>
  Object.entries(columns).flatMap(([name, { personal }]) =>
    personal?.erasedTo === 'empty' || personal?.erasedTo === 'null' ? [{ name, to: personal.erasedTo }] : [],
  );

/** The columns of a table that hold copies of that. */
export const copiedColumns = ({ columns }: Table): string[] =>
  Object.entries(columns).flatMap(([name, { personal }]) => (personal?.erasedTo === 'copies' ? [name] : []));

/** Orders, and what is a part of them. */
export const isOfOrders = ({ name, belongs }: Table): boolean =>
  name === 'orders' || belongs?.partOf === 'orders';
