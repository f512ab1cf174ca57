import type { Category } from '../generated/prisma/client.ts';
import { plain, table } from './table.ts';

export const categories = table<Category>()('categories', {
  columns: {
    ...plain('location_id id created_at updated_at revision'),
    external_id: { published: true, catalog: true, edited: true, length: [1, 255], identifier: true },
    name: {
      published: true,
      catalog: true,
      shownElsewhere: true,
      edited: true,
      length: [1, 255],
      history: true,
    },
    priority: { published: true, catalog: true, shownElsewhere: true, edited: true },
    visible: { published: true, catalog: true, edited: true, history: true },
    image_url: { published: true, edited: true },
  },
  people: 'edit',
  editEvents: { publish: ['catalog.updated'] },
  versioned: 'edited',
  belongs: { sandbox: 'emptied' },
  published: { as: 'category', keepsDeletions: true },
});
