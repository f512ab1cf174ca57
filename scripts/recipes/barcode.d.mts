import type { Recipe } from './recipe.mjs';

export const barcode: Recipe;
