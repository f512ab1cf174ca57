import { newId } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import type { CallContext } from '../../call/context.ts';
import { findStoredAnswer, finishAnswer } from '../../call/writing.ts';
import { referencesIn } from '../../references.ts';
import { runBatch } from '../bulk/service.ts';
import { currentVersion } from './service.ts';
import { changedCategories, planCatalog } from './sync.rules.ts';
import { CatalogSync, type CatalogSyncResult } from './sync.schema.ts';
import { refuseNewBlankEnds } from './sync-new.rules.ts';
import { isPlainTree, type Stored, spelledAsStored } from './sync-spellings.rules.ts';
import { type NamedTree, readTree } from './sync-tree.rules.ts';

/**
 * Sets the catalog to what is named, in one transaction; a dry run answers what that would change. Throws
 * `validation_error` for a tree that contradicts itself or has more categories and products than the key may send,
 * `conflict` for a sku that another product keeps, `rate_limited` when the hour's batch jobs are used up.
 */
export async function sync(ctx: CallContext, input: CatalogSync): Promise<Answer<CatalogSyncResult>> {
  // Where a repeat is refused, it still may be who has to finish the answer.
  const known = await findStoredAnswer<CatalogSyncResult>(ctx);
  return withVersion(ctx, known ?? (await apply(ctx, input)));
}

function apply(ctx: CallContext, input: CatalogSync): Promise<Answer<CatalogSyncResult>> {
  const { categories, mode, dry_run, include } = input;
  const tree = readTree(categories);
  const all = mode === 'replace';
  const isPlain = isPlainTree(categories);
  const asStored = (stored: Stored) => (isPlain ? categories : spelledAsStored(categories, stored));
  const namedIn = (stored: Stored) => (isPlain ? tree : readTree(asStored(stored)));
  return runBatch(
    ctx,
    {
      asked: {
        references: referencesIn(CatalogSync, input),
        categories: {
          externalIds: [...tree.categories.map(({ external_id }) => external_id), ...tree.deleted.categories],
        },
        products: {
          externalIds: [...tree.products.map(({ product }) => product.external_id), ...tree.deleted.products],
          skus: tree.products.flatMap(({ product }) => product.sku ?? []),
        },
        changing: (current) => {
          const stored = { categories: [...current], products: [], subselections: [], items: [] };
          return changedCategories(namedIn(stored), mode, current);
        },
        all,
        stock: true,
        links: true,
        options: true,
      },
      plan(current) {
        refuseNewBlankEnds(asStored(current), current);
        return planCatalog(namedIn(current), mode, current, newId);
      },
    },
    { size: sizeOf(tree), path: 'categories', dryRun: dry_run },
    ({ changes, named, ids, warnings }) => {
      const counts = { created: 0, updated: 0, deleted: 0, unchanged: 0 };
      for (const { action } of changes) counts[action] += 1;
      return {
        version: '',
        total_items: named,
        ...counts,
        ...(dry_run ? { dry_run: true, changes } : include && { ids }),
        ...(warnings.length > 0 && { warnings }),
      };
    },
  );
}

const sizeOf = ({ categories, products, deleted }: NamedTree): number =>
  categories.length + products.length + deleted.categories.length + deleted.products.length;

// The version of what is committed is not known before the commit. With a key, a repeat of a call that ended in
// between finishes its answer.
async function withVersion(
  ctx: CallContext,
  answer: Answer<CatalogSyncResult>,
): Promise<Answer<CatalogSyncResult>> {
  if ('value' in answer) return { value: { ...answer.value, version: await currentVersion(ctx) } };
  if (!('text' in answer) || !answer.text.startsWith(unfinished)) return answer;
  const version = `{"version":${JSON.stringify(await currentVersion(ctx))}`;
  return {
    ...answer,
    text: await finishAnswer(ctx, answer.text, version + answer.text.slice(unfinished.length)),
  };
}

const unfinished = '{"version":""';
