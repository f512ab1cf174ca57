import { isDeepStrictEqual } from 'node:util';
import type { Chance } from '../support/chance.ts';
import { json } from '../support/money.ts';
import { type CarriedEdit, carriedBody, drawCarriedEdit, editCarried } from './carried.ts';
import { drawChosen, drawLine, drawMilli } from './draw.ts';
import type { Product } from './offer.ts';
import {
  type Contents,
  contentsOf,
  itemBody,
  type Line,
  type PlacedLine,
  type PlacedOrder,
  pricedLine,
  repriced,
  selectionOf,
} from './orders.ts';

/** An edit that will be sent. */
export interface Edit {
  carried: CarriedEdit;
  items?: { add: Line[]; change: ChangedLine[]; remove: PlacedLine[] };
}

/** Only what is present changes; a comment of null goes. */
interface ChangedLine {
  line: PlacedLine;
  milli?: bigint;
  comment?: string | null;
  chosen?: Line['chosen'];
}

/** What an edit does to an order. */
export interface Change {
  carried: CarriedEdit;
  contents?: Contents;
  isChange: boolean;
}

/** Draws an edit of an order, whose lines have their numbers; `pool` is what it may add. */
export function drawEdit(chance: Chance, order: PlacedOrder, pool: readonly Product[]): Edit {
  const carried = chance.percent(40) ? drawCarriedEdit(chance) : {};
  if (chance.percent(15)) return { carried };
  const add = Array.from({ length: chance.between(0, 2) }, () => drawLine(chance, chance.pick(pool)));
  const remove = order.lines.filter(() => chance.percent(20));
  const change = order.lines
    .filter((line) => !remove.includes(line) && chance.percent(50))
    .map((line): ChangedLine => {
      const { choices } = line.product;
      return {
        line,
        ...(chance.percent(60) && { milli: drawMilli(chance, line.product) }),
        ...(chance.percent(20) && { comment: chance.pick(['bien cocido', null]) }),
        ...(choices.length > 0 &&
          chance.percent(40) && { chosen: choices.flatMap((choice) => drawChosen(chance, choice)) }),
      };
    });
  return { carried, items: { add, change, remove } };
}

/** What an edit does. Undefined where it must be refused for the lines or the discounts that would be left. */
export function changeOf(order: PlacedOrder, { carried, items }: Edit): Change | undefined {
  const after = editCarried(order.carried, carried);
  const isCarriedOtherwise = !isDeepStrictEqual(after, order.carried);
  if (items === undefined) return { carried, isChange: isCarriedOtherwise };
  const kept = order.lines.filter((line) => !items.remove.includes(line));
  const changed = kept.map((line) =>
    changedLine(
      line,
      items.change.find((each) => each.line === line),
    ),
  );
  const lines = [...changed, ...items.add.map((line) => pricedLine(line))];
  const left = order.adjustments.filter(
    ({ line }) => line === undefined || kept.some(({ id }) => id === line),
  );
  const contents = contentsOf(lines, left);
  if (lines.length === 0 || contents === undefined) return undefined;
  return { carried, contents, isChange: isCarriedOtherwise || !isDeepStrictEqual(lines, order.lines) };
}

function changedLine(before: PlacedLine, change: ChangedLine | undefined): PlacedLine {
  if (change === undefined) return before;
  const { comment: commentBefore, ...line } = before;
  const comment = change.comment === undefined ? commentBefore : change.comment;
  return repriced({
    ...line,
    ...(comment !== undefined && comment !== null && { comment }),
    milli: change.milli ?? line.milli,
    chosen: change.chosen ?? line.chosen,
  });
}

/** What an edit takes of a product beyond what there is, of those that one caller alone orders. */
export const isShortFor = (order: PlacedOrder, { contents }: Change): boolean =>
  [...(contents?.taken ?? [])].some(
    ([from, milli]) =>
      'owner' in from &&
      from.owner !== undefined &&
      milli - (order.taken.get(from) ?? 0n) > (from.stock?.milli ?? 0n),
  );

/** The body that sends it. */
export function editBody({ carried, items }: Edit): Record<string, unknown> {
  return {
    ...carriedBody(carried),
    ...(items !== undefined && {
      items: {
        ...(items.add.length > 0 && { add: items.add.map((line) => itemBody(line)) }),
        ...(items.change.length > 0 && { change: items.change.map(changeBody) }),
        ...(items.remove.length > 0 && { remove: items.remove.map(({ id }) => id) }),
      },
    }),
  };
}

const changeBody = ({ line, milli, comment, chosen }: ChangedLine) => ({
  line_id: line.id,
  ...(milli !== undefined && { quantity: json(milli, 3) }),
  ...(comment !== undefined && { comment }),
  ...(chosen !== undefined && { subselections: chosen.map(selectionOf) }),
});
