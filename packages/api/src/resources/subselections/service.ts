import { isId } from '@comanda/db';
import type { Answer } from '../../request/answer.ts';
import type { CallContext } from '../../request/context.ts';
import { readPage } from '../../request/page-text.ts';
import type { Page } from '../../wire.ts';
import type { Subselection, SubselectionList } from './schema.ts';
import { listSubselections } from './statements.ts';

/** Lists subselections with their options, by product, position, id. A product of another form has none. */
export function list(
  ctx: CallContext,
  { product_id, satisfiable, ...paging }: SubselectionList,
): Promise<Answer<Page<Subselection>>> {
  const product = product_id === undefined || isId(product_id) ? product_id : noId;
  return readPage(ctx, listSubselections, paging, [product ?? null, satisfiable ?? null]);
}

/** An id that nothing has. */
const noId = '00000000-0000-0000-0000-000000000000';
