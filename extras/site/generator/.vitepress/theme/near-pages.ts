/** A page as the sidebar has it: its title, and its address below `/docs`. */
export interface SidebarPage {
  text: string;
  link: string;
}

type Sidebar = Record<string, { items: SidebarPage[] }[]>;

/** The pages, at most five, whose address or title has words of an address that has no page; the nearest first. */
export function nearPages(asked: string, sidebar: Sidebar): SidebarPage[] {
  const sections = Object.values(sidebar).flat();
  const pages = new Map(sections.flatMap(({ items }) => items).map((page) => [page.link, page]));
  const wanted = wordsOf(asked.replace(/^\/docs\//, ''));
  return [...pages.values()]
    .map((page) => {
      const words = wordsOf(`${page.link} ${page.text}`);
      const shared = wanted.filter((word) =>
        words.some((each) => each.startsWith(word) || word.startsWith(each)),
      );
      // The folder alone makes no page similar.
      return { page, score: shared.filter((word) => !folders.has(word)).length * 4 + shared.length };
    })
    .filter(({ score }) => score >= 4)
    .sort((one, other) => other.score - one.score || one.page.link.length - other.page.link.length)
    .slice(0, 5)
    .map(({ page }) => page);
}

const folders = new Set(['docs', 'guides', 'reference', 'v1', 'v2']);

const wordsOf = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .match(/[a-z0-9]{2,}/g)
      ?.filter((word) => !/^(html|md|index|the|an?|of|to|is)$/.test(word)),
  ),
];
