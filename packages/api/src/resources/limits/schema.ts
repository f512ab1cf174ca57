import { z } from 'zod';
import { exampleTime } from '../../examples.ts';
import { Grant, Permission } from '../../permissions.ts';
import { typedAs } from '../../typed-as.ts';
import { Timestamp } from '../../wire.ts';

const Window = z
  .object({
    limit: z.int().meta({ description: 'The limit of a window.', example: 600 }),
    used: z.int().meta({ description: 'The amount used in the window.', example: 3 }),
    remaining: z.int().meta({
      description: 'The least amount left: with several API processes it may be a little more.',
      example: 597,
    }),
    resets_at: Timestamp.meta({ description: 'When the window ends and the next begins.' }),
  })
  .meta({ id: 'LimitWindow', description: 'A limit, and what of it is used in the current window.' });

const exampleWindow = (limit: number, used: number, end: string) => ({
  limit,
  used,
  remaining: limit - used,
  resets_at: exampleTime(end),
});

/** The limits of a key, and what is left of them. */
export const Limits = z
  .object({
    permissions: z.array(typedAs(z.string(), Grant)).meta({
      description: 'As they were granted: `resource:action`, `resource:*` or `*`.',
      example: ['stock:*', 'sync:products'],
    }),
    effective_permissions: z.array(Permission).meta({
      description: 'Every permission that this covers, one by one.',
      example: ['stock:read', 'stock:sync', 'sync:products'],
    }),
    per_minute: Window.meta({ description: 'Requests in a minute of the clock; this one is counted.' }),
    monthly: Window.meta({ description: 'Requests in a calendar month, UTC.' }),
    batch_jobs_per_hour: Window.meta({ description: 'Batch jobs in an hour of the clock.' }),
    max_items_per_batch: z
      .int()
      .meta({ description: 'The most items that one batch may hold.', example: 500 }),
  })
  .meta({
    id: 'Limits',
    description: 'The limits of the key and what is left of them.',
    example: {
      permissions: ['stock:*', 'sync:products'],
      effective_permissions: ['stock:read', 'stock:sync', 'sync:products'],
      per_minute: exampleWindow(600, 3, '21:06:00.000'),
      monthly: exampleWindow(1_000_000, 5_210, '21:00:00.000'),
      batch_jobs_per_hour: exampleWindow(30, 1, '22:00:00.000'),
      max_items_per_batch: 500,
    },
  });
export type Limits = z.infer<typeof Limits>;
