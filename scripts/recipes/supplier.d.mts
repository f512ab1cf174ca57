import type { Recipe } from './recipe.mjs';

export const supplier: Recipe;
