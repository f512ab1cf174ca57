import type { Recipe } from './recipe.mjs';

export const suppliers: Recipe;
