// How the search of the site weighs what it finds. The browser and the tests search by these same options.
import { synonyms } from './synonyms.mjs';

/** Words that are in every question and on every page. */
const stopWords = new Set(
  (
    'a about an and any are as at be by can do does for from get has have how i if in is it its me my of on or our ' +
    'should so that the their there this to us use using we what when where which why will with you your mean means'
  ).split(' '),
);

/** Whether a section is the head of its page. */
const isPage = (stored) => (stored?.titles ?? []).length === 0;

const overviewOfV1 = '/docs/reference/v1/#';

/**
 * How much the place of a section weighs: v2 before v1 unless the query says v1, a page before its sections, what is explained before
 * what is promised in the contract.
 */
function boostDocument(id, term, stored) {
  if (id.startsWith(overviewOfV1) && isPage(stored)) return term === 'v1' ? 2 : 1.9;
  const isV1 = id.startsWith('/docs/reference/v1/');
  if (isV1 && term === 'v1' && isPage(stored)) return 4;
  const version = isV1 ? 0.4 : 1;
  const section = isPage(stored) ? 2 : id.startsWith('/docs/reference/v') ? 0.3 : 1;
  const contract = id.startsWith('/docs/contract') ? 0.5 : 1;
  return version * section * contract;
}

/** The words of a query: without stop words, each with what the pages call it. */
function processTerm(term) {
  const word = term.toLowerCase();
  if (stopWords.has(word)) return null;
  return [word, ...(synonyms[word] ?? [])];
}

/** The options of minisearch. The last word may be half typed; the others are words. */
export const searchOptions = {
  fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  prefix: (_term, index, terms) => index === terms.length - 1,
  boost: { title: 8, titles: 2, text: 1 },
  boostDocument,
  processTerm,
};

/** The fields of the index, as VitePress builds it. */
export const indexOptions = { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] };

/** Pages that are not searched: the changelog has every word. */
export const notSearched = ['changelog.md'];
