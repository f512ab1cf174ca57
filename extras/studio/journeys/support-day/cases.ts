import type { Case } from './day.ts';
import { menu } from './menu.ts';
import { money } from './money.ts';
import { orders, sales } from './orders.ts';
import { access, persons, place } from './service.ts';

/** The cases of a day of support, in the order of the guide. The zone of the restaurant comes last: days follow it. */
export const cases: readonly Case[] = [
  ...orders,
  ...menu,
  ...money,
  ...sales,
  ...access,
  ...persons,
  ...place,
];
