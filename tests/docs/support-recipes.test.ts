import { describe, expect, test } from 'vitest';
import { cases } from '../../extras/studio/journeys/support-day/cases.ts';
import { anchorOf, contents, supportRecipes } from '../../extras/studio/journeys/support-day/recipe.ts';

describe('a question of support had no recipe, or a recipe was never carried out', () => {
  test('the guide has a recipe for each case, and a case for each recipe', () => {
    expect(cases).toHaveLength(31);
    expect(supportRecipes.map(({ title, where }) => ({ title, where }))).toEqual(
      cases.map(({ title, where }) => ({ title, where })),
    );
  });

  test('the table of contents leads to each of them', () => {
    expect(contents).toEqual(supportRecipes.map(({ title }) => ({ title, anchor: anchorOf(title) })));
  });

  test('a recipe has 2 to 6 steps, and says why it is not at the desk', () => {
    for (const { title, where, why, steps } of supportRecipes) {
      expect(steps.length, title).toBeGreaterThanOrEqual(2);
      expect(steps.length, title).toBeLessThanOrEqual(6);
      expect([title, why !== '']).toEqual([title, where !== 'the desk']);
    }
  });
});
