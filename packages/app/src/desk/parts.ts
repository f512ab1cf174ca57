import type { Permission } from '@comanda/client';
import type { ComponentType } from 'react';
import { Audit } from './audit.tsx';
import { Categories } from './categories.tsx';
import { Endpoints } from './endpoints.tsx';
import { Jobs } from './jobs.tsx';
import { Keys } from './keys.tsx';
import { LocationSettings } from './location.tsx';
import { Orders } from './orders.tsx';
import { PaymentMethods } from './payment-methods.tsx';
import { Products } from './products.tsx';
import { Sales } from './sales.tsx';
import type { deskTexts } from './texts.ts';
import { Turns } from './turns.tsx';

/** A part of the desk: where it is, what it is called, and what a key must be allowed to see it. */
export interface Part {
  path: `/app/desk/${string}`;
  title: keyof typeof deskTexts.en.parts;
  /** The group of the menu. */
  group: keyof typeof deskTexts.en.groups;
  needs: Permission;
  component: ComponentType;
}

/** Every part, in the order of the menu within its group. */
export const parts: readonly Part[] = [
  { path: '/app/desk/orders', title: 'orders', group: 'sell', needs: 'orders:read', component: Orders },
  {
    path: '/app/desk/products',
    title: 'products',
    group: 'menu',
    needs: 'products:read',
    component: Products,
  },
  {
    path: '/app/desk/categories',
    title: 'categories',
    group: 'menu',
    needs: 'categories:read',
    component: Categories,
  },
  { path: '/app/desk/turns', title: 'turns', group: 'sell', needs: 'turns:read', component: Turns },
  { path: '/app/desk/sales', title: 'sales', group: 'sell', needs: 'reports:read', component: Sales },
  {
    path: '/app/desk/payment-methods',
    title: 'payment_methods',
    group: 'place',
    needs: 'payments:read',
    component: PaymentMethods,
  },
  {
    path: '/app/desk/endpoints',
    title: 'endpoints',
    group: 'connect',
    needs: 'webhooks:read',
    component: Endpoints,
  },
  { path: '/app/desk/jobs', title: 'jobs', group: 'connect', needs: 'sync:read', component: Jobs },
  { path: '/app/desk/keys', title: 'keys', group: 'connect', needs: 'keys:read', component: Keys },
  {
    path: '/app/desk/location',
    title: 'location',
    group: 'place',
    needs: 'locations:read',
    component: LocationSettings,
  },
  { path: '/app/desk/audit', title: 'audit', group: 'place', needs: 'audit:read', component: Audit },
];
