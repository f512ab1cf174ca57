import { z } from 'zod';
import { exampleIds, exampleMenu, exampleTime } from '../../examples.ts';
import { list, mostFaults } from '../../lists.ts';
import { CatalogId, Name } from '../../texts.ts';
import { byId, ExternalId, Id, Money, page, paging, ShownExternalId, Timestamp } from '../../wire.ts';
import {
  DryRun,
  ItemTotal,
  itemChange,
  itemCounts,
  itemRefusal,
  SyncInclude,
} from '../bulk/changes.schema.ts';
import { givenFields } from '../products/fields.schema.ts';
import { StockInput } from '../stock/schema.ts';

/** The treatment of an item whose `external_id` exists, and of one whose does not. */
export const SyncMode = z.enum(['upsert', 'create', 'update']).meta({
  description: 'create: an existing external_id fails that item; update: an unknown one does.',
});
export type SyncMode = z.infer<typeof SyncMode>;

const SyncJobStatus = z.enum(['queued', 'processing', 'completed', 'failed']).meta({
  description: 'completed: some item was applied; failed: none could be, or a fault of the service.',
});

/** A product in the body of a batch. A field that is left out keeps its value; on creation it takes the default. */
export const ProductSyncItem = z
  .object({
    external_id: CatalogId,
    ...givenFields,
    name: Name,
    price: Money,
    category_external_ids: list(ExternalId, 1_000, 'must hold at most 1000 categories')
      .optional()
      .meta({ description: 'The categories that contain it, by external_id.' }),
    stock: StockInput.optional(),
  })
  .meta({ id: 'ProductSyncItem', description: 'A product as a batch brings it.' });
export type ProductSyncItem = z.infer<typeof ProductSyncItem>;

/** A batch of products. */
export const ProductSync = z
  .object({
    mode: SyncMode.default('upsert'),
    items: list(ProductSyncItem, 'max_items_per_batch').min(1, 'must hold at least one item'),
    dry_run: DryRun,
    include: SyncInclude,
  })
  .superRefine(({ items }, context) => {
    const first = new Map<string, number>();
    for (const [index, { external_id }] of items.entries()) {
      if (context.issues.length > mostFaults) return;
      const earlier = first.get(external_id);
      if (earlier === undefined) first.set(external_id, index);
      else {
        const message = `is the same as items[${earlier}].external_id`;
        context.addIssue({ code: 'custom', path: ['items', index, 'external_id'], message });
      }
    }
  })
  .meta({
    id: 'ProductSync',
    description: 'A batch of products.',
    example: { mode: 'upsert', items: [{ ...exampleMenu.cortado, visible: true }, exampleMenu.lungo] },
  });
export type ProductSync = z.infer<typeof ProductSync>;

/** Why an item was not applied. */
export const SyncItemError = z
  .object({
    index: z.int().meta({ description: 'The index of the item in the batch, from 0.' }),
    external_id: ShownExternalId,
    ...itemRefusal(['conflict', 'resource_not_found', 'validation_error']),
  })
  .meta({ id: 'SyncItemError', description: 'Why an item was not applied.' });
export type SyncItemError = z.infer<typeof SyncItemError>;

/** An item that was applied, by the id of its product. */
export const AppliedItem = SyncItemError.pick({ index: true, external_id: true })
  .extend({ id: Id })
  .meta({ id: 'AppliedItem', description: 'An item that was applied, by the id of its product.' });
export type AppliedItem = z.infer<typeof AppliedItem>;

/** The result of one item in a dry run. */
export const ProductSyncChange = z
  .object({
    index: z.int().meta({ description: 'The index of the item in the batch, from 0.' }),
    external_id: ShownExternalId,
    id: z.string().optional().meta({ description: 'Of a product that exists.' }),
    ...itemChange,
  })
  .meta({ id: 'ProductSyncChange', description: 'The change that a job would make to one item.' });
export type ProductSyncChange = z.infer<typeof ProductSyncChange>;

/** The answers of the start of a job, and of a dry run. */
export const StartedSyncJob = z
  .object({
    job_id: z.string().meta({ description: 'Empty for a dry run, which is no job.' }),
    status: SyncJobStatus.meta({ description: 'queued; for a dry run how the job would end.' }),
    total_items: ItemTotal,
    dry_run: z.literal(true).optional().meta({ description: 'Nothing was changed, and nothing will be.' }),
    success_items: z.int().optional().meta({ description: 'Of a dry run: items that can be applied.' }),
    failed_items: z.int().optional().meta({ description: 'Of a dry run: items that cannot.' }),
    errors: z.array(SyncItemError).optional().meta({ description: 'Of a dry run: why not, for each.' }),
    changes: z.array(ProductSyncChange).optional().meta({
      description: 'Of a dry run: what would become of each item that can be applied.',
    }),
  })
  .meta({
    id: 'StartedSyncJob',
    description: 'The job was accepted and runs in the background.',
    example: { job_id: exampleIds.job, status: 'queued', total_items: 2 },
  });
export type StartedSyncJob = z.infer<typeof StartedSyncJob>;

/** A batch and how far it has come. */
export const SyncJob = z
  .object({
    job_id: z.string().meta({ description: 'The id of the job.' }),
    type: z.string().meta({ description: 'The type of the object.', example: 'products' }),
    mode: SyncMode,
    status: SyncJobStatus,
    total_items: ItemTotal,
    processed_items: z.int().meta({ description: 'How many items were worked on so far.' }),
    success_items: itemCounts.success_items,
    failed_items: itemCounts.failed_items,
    errors: z.array(SyncItemError).meta({ description: 'The first 100 items that were not applied.' }),
    error: z.string().optional().meta({ description: 'Why the job failed.' }),
    ids: z.array(AppliedItem).optional().meta({
      description: 'The results so far, of a job that was started with `include` of `ids`. Not in lists.',
    }),
    created_at: Timestamp,
    started_at: Timestamp.optional(),
    completed_at: Timestamp.optional(),
  })
  .meta({
    id: 'SyncJob',
    description: 'A batch that is applied in the background.',
    example: {
      job_id: exampleIds.job,
      type: 'products',
      mode: 'upsert',
      status: 'completed',
      total_items: 2,
      processed_items: 2,
      success_items: 1,
      failed_items: 1,
      errors: [
        {
          index: 1,
          external_id: exampleMenu.lungo.external_id,
          code: 'conflict',
          message: `sku ${exampleMenu.flatWhite.sku} is taken by another product.`,
        },
      ],
      created_at: exampleTime('21:10:00.000'),
      started_at: exampleTime('21:10:00.041'),
      completed_at: exampleTime('21:10:00.093'),
    },
  });
export type SyncJob = z.infer<typeof SyncJob>;

/** The input of an operation on one. */
export const SyncJobById = byId(exampleIds.job);

export const SyncJobList = z.object(paging);
export const SyncJobPage = page(SyncJob);
