import type { CatalogVersion, Menu, MenuCategory } from '../generated/prisma/client.ts';
import { plain, table } from './table.ts';

export const menus = table<Menu>()('menus', {
  columns: {
    ...plain('location_id id version created_at updated_at revision'),
    name: { edited: true, length: [1, 255] },
    is_published: { edited: true },
    published_at: { edited: true },
  },
  people: 'edit',
  editEvents: { publish: ['catalog.updated'], except: ['published_at'], rows: 'of the published menu' },
  versioned: 'any',
  belongs: { sandbox: 'emptied' },
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
    ...plain('location_id'),
    menu_id: { edited: true },
    category_id: { edited: true },
    position: { edited: true },
  },
  people: 'edit',
  editEvents: { publish: ['catalog.updated'], rows: 'of the published menu' },
  belongs: { partOf: 'menus' },
  guards: [{ never: ['location_id'], sentence: 'a menu stays in its location' }],
});

export const catalogVersions = table<CatalogVersion>()('catalog_versions', {
  schema: 'internal',
  key: [],
  columns: plain('location_id epoch token version digest'),
  people: 'none',
  service: ['select', 'insert', 'update'],
  belongs: { sandbox: { kept: 'versions rise after removals, too' }, derived: true },
  serviceOnly: "the catalog's version follows the catalog: edit that",
});
