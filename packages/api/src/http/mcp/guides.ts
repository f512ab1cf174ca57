import { guides } from '../../documents/site/pages.ts';
import type { SiteServers } from '../../documents/site-files.ts';

/** A guide as a resource of the protocol. */
export interface Guide {
  /** As `resources/list` shows it. */
  listed: { uri: string; name: string; title: string; mimeType: string };
  /** Its Markdown, as `/docs` serves it. */
  text(): Promise<string>;
}

/** The guides among the pages that the service has; none where it has no pages. */
export async function guidesIn(pages: () => Promise<Pick<SiteServers, 'files'>>): Promise<Guide[]> {
  const { files } = await pages().catch(() => ({ files: undefined }));
  return guides.flatMap(({ path, title }) => {
    const name = /^guides\/(.+)$/.exec(path)?.[1];
    const file = files?.get(`/docs/${path}.md`);
    if (name === undefined || file === undefined) return [];
    return {
      listed: { uri: `comanda://guides/${name}`, name, title, mimeType: 'text/markdown' },
      text: async () => String(await file.make()),
    };
  });
}
