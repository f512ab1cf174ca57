import type { Options, SearchOptions } from 'minisearch';

/** How the search of the site weighs what it finds. */
export const searchOptions: SearchOptions;
/** The fields of the index. */
export const indexOptions: Pick<Options, 'fields' | 'storeFields'>;
/** Pages that are not searched, by their file. */
export const notSearched: readonly string[];
