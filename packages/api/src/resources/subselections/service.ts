import { isId } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import type { CallContext } from '../../call/context.ts';
import { readPage } from '../../call/page-text.ts';
import type { Page } from '../../wire.ts';
import type { Subselection, SubselectionList } from './schema.ts';
import { listSubselections } from './statements.ts';

/** Lists subselections with their options, by product, position, id. A product of another form has none. */
export function list(ctx: CallContext, input: SubselectionList): Promise<Answer<Page<Subselection>>> {
  const { product_id } = input;
  const known = product_id === undefined || isId(product_id) ? input : { ...input, product_id: noId };
  const { statement, values } = listSubselections(known);
  return readPage(ctx, statement, input, values);
}

/** An id that nothing has. */
const noId = '00000000-0000-0000-0000-000000000000';
