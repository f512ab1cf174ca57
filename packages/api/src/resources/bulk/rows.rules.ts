import type { Reference } from '../../references.ts';
import type { ProductColumns } from '../products/fields.schema.ts';

/** The rows that batches read and write; the members are named as the columns. */
export interface CategoryRow {
  id: string;
  external_id: string | null;
  name: string;
  priority: number;
  visible: boolean;
  image_url: string;
}

export interface ProductRow extends ProductColumns {
  id: string;
  external_id: string | null;
}

export interface StockRow {
  product_id: string;
  enabled: boolean;
  quantity: number;
  min_stock_alarm: number;
}

export interface LinkRow {
  product_id: string;
  category_id: string;
  /** The identifier of the category: its external_id, or its id. */
  category: string;
}

export interface SubselectionRow {
  id: string;
  product_id: string;
  external_id: string | null;
  name: string;
  min_selection: number;
  max_selection: number;
  single: boolean;
  position: number;
}

export interface ItemRow {
  id: string;
  subselection_id: string;
  external_id: string | null;
  name: string;
  price: number;
  min: number;
  max: number;
  visible: boolean;
  image_url: string;
  position: number;
  stock_enabled: boolean;
  stock_quantity: number;
}

/** The stored rows that a batch names: of each kind all that was asked for. */
export interface Current {
  /** References of the batch that name nothing. */
  unknown: readonly Reference[];
  categories: CategoryRow[];
  /** Those that are named, and those that have a sku which the batch gives. */
  products: ProductRow[];
  stock: StockRow[];
  links: LinkRow[];
  /** All of the products above, those without an external_id included. */
  subselections: SubselectionRow[];
  items: ItemRow[];
}

/** Rows to insert and rows to update, whole. */
export interface Written<Row> {
  created: Row[];
  updated: Row[];
}

/** Everything that a batch writes, in whole rows, and what it removes, by id. */
export interface Writes {
  /** A row deleted with its parent is not named again. */
  removed: { categories: string[]; products: string[]; subselections: string[]; items: string[] };
  /** Products whose sku another one takes: they give it up first. */
  releasedSkus: string[];
  categories: Written<CategoryRow>;
  products: Written<ProductRow>;
  stock: Written<StockRow>;
  addedLinks: Omit<LinkRow, 'category'>[];
  removedLinks: Omit<LinkRow, 'category'>[];
  subselections: Written<SubselectionRow>;
  items: Written<ItemRow>;
}
