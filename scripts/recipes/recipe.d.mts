/** A file that is edited by hand; recipe.mjs says how. */
export interface Place {
  file: string;
}
export interface Recipe {
  name: string;
  places: Place[];
}
export function carryOut(root: string, place: Place): void;
