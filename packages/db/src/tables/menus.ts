import type { CatalogVersion, Menu, MenuCategory } from '../generated/prisma/client.ts';
import { everything, table } from './table.ts';

export const menus = table<Menu>()('menus', {
  key: ['id'],
  columns: {
    location_id: {},
    id: {},
    name: { edited: true, length: [1, 255] },
    version: {},
    is_published: { edited: true },
    published_at: { edited: true },
    created_at: {},
    updated_at: {},
    revision: {},
  },
  access: { service: everything, people: 'edit' },
  versioned: 'any',
  belongs: { to: 'location', sandbox: 'emptied' },
  guards: [
    {
      never: ['id', 'location_id', 'created_at'],
      sentence: 'the id, the location and the creation of a menu never change: make another one',
    },
    {
      never: ['version'],
      when: 'NOT by_service() AND pg_trigger_depth() = 0',
      sentence: 'the version of a menu counts what is published of it, and never changes by hand',
    },
  ],
});

export const menuCategories = table<MenuCategory>()('menu_categories', {
  key: ['menu_id', 'category_id'],
  columns: {
    location_id: {},
    menu_id: { edited: true },
    category_id: { edited: true },
    position: { edited: true },
  },
  access: { service: everything, people: 'edit' },
  belongs: { partOf: 'menus' },
  guards: [{ never: ['location_id'], sentence: 'a menu stays in its location' }],
});

export const catalogVersions = table<CatalogVersion>()('catalog_versions', {
  schema: 'internal',
  key: [],
  columns: { location_id: {}, epoch: {}, token: {}, version: {} },
  access: { service: ['select', 'insert', 'update'], people: 'none' },
  belongs: { to: 'location', sandbox: { kept: 'versions rise, whatever is removed' }, derived: true },
  guards: [{ serviceOnly: 'all', sentence: "the catalog's version follows the catalog: edit that" }],
});
