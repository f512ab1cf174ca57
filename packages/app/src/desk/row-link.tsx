import type { Permission } from '@comanda/client';
import type { ReactNode } from 'react';
import { Link } from '../frame/address.tsx';
import { useGranted } from '../frame/granted.ts';
import { historyPath } from './history-path.ts';

type Page = readonly [path: string, needs: Permission];

const product: Page = ['products', 'products:read'];
const order: Page = ['orders', 'orders:read'];
const pages: Readonly<Record<string, Page>> = {
  products: product,
  product_stock: product,
  product_categories: product,
  categories: ['categories', 'categories:read'],
  orders: order,
  order_items: order,
  payments: order,
  payment_methods: ['payment-methods', 'payments:read'],
  paymentMethods: ['payment-methods', 'payments:read'],
  webhook_endpoints: ['endpoints', 'webhooks:read'],
  webhookEndpoints: ['endpoints', 'webhooks:read'],
  turns: ['turns', 'turns:read'],
  api_keys: ['keys', 'keys:read'],
  keys: ['keys', 'keys:read'],
};

interface Props {
  /** A table, or what the procedures of the row begin with. */
  of: string;
  id: string;
  /** Its name, or its number. */
  name: string | undefined;
  /** A row without a page any more leads to its history. */
  isGone: boolean;
}

/** The name of a row, which leads to its page, beside its id. */
export function RowLink({ of, id, name, isGone }: Props): ReactNode {
  const { may } = useGranted();
  const [path, needs] = pages[of] ?? [];
  // The page of an order is found by its number.
  const at = path === 'orders' ? name : id;
  const hasPage = !isGone && path !== undefined && at !== undefined && needs !== undefined && may?.(needs);
  const text = name ?? id;
  return (
    <>
      <strong>
        {hasPage ? (
          <Link to={`/app/desk/${path}/${encodeURIComponent(at)}`}>{text}</Link>
        ) : withHistory.includes(of) ? (
          <Link to={historyPath(id)}>{text}</Link>
        ) : (
          text
        )}
      </strong>
      {name !== undefined && <small className="row-id"> {id}</small>}
    </>
  );
}

const withHistory = ['products', 'product_stock', 'product_categories', 'categories', 'subselection_items'];
