import type { Category } from '../generated/prisma/client.ts';
import { everything, table } from './table.ts';

export const categories = table<Category>()('categories', {
  key: ['id'],
  columns: {
    location_id: {},
    id: {},
    external_id: { published: true, catalog: true, edited: true, length: [1, 255] },
    name: { published: true, catalog: true, shownElsewhere: true, edited: true, length: [1, 255] },
    priority: { published: true, catalog: true, shownElsewhere: true, edited: true },
    visible: { published: true, catalog: true, edited: true },
    image_url: { published: true, edited: true },
    created_at: {},
    updated_at: {},
    revision: {},
  },
  access: { service: everything, people: 'edit' },
  versioned: 'edited',
  belongs: { to: 'location', sandbox: 'emptied' },
  published: { as: 'category', id: 'id', on: ['insert', 'update', 'delete'] },
});
