import type { Recipe } from './recipe.mjs';

export const origin: Recipe;
