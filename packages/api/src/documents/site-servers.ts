import type { Request, Response } from 'express';
import { type Served, serverOf } from './served.ts';
import { currentSite, siteFiles } from './site-files.ts';

type Serve = (request: Request, response: Response) => Promise<void>;

/** The pages of the documents as they are at the moment. */
export interface SiteServers {
  /** By the path of a request. */
  byPath: ReadonlyMap<string, Serve>;
  /** The page that a browser gets with a 404. */
  lost?: Serve;
}

/** How often it is looked whether there is a newer build. */
const lookMs = 1_000;

/**
 * Gives the pages of the site that is in `folder`, and `makePlain`'s while none is built. A site that is built meanwhile is served from
 * the next second on. A build is read when it is first asked for; before that it costs nothing.
 */
export function siteServers(
  folder: string,
  makePlain: () => Promise<Map<string, Served>>,
): () => Promise<SiteServers> {
  let known: { build: string | undefined; servers: Promise<SiteServers> } | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (known !== undefined && now - lookedAt < lookMs) return known.servers;
    lookedAt = now;
    const build = currentSite(folder);
    if (known !== undefined && known.build === build) return known.servers;
    const read = build === undefined ? makePlain() : Promise.resolve(siteFiles(build));
    const servers = read.then(serversOf);
    known = { build, servers };
    // A failed start is tried again by the next request.
    servers.catch(() => {
      if (known?.servers === servers) known = undefined;
    });
    return servers;
  };
}

const lostPage = '/docs/404';

function serversOf(files: Map<string, Served>): SiteServers {
  const lost = files.get(lostPage);
  const others = [...files].filter(([path]) => path !== lostPage);
  return {
    byPath: new Map(others.map(([path, each]) => [path, serverOf(each)])),
    ...(lost && { lost: serverOf(lost, 404) }),
  };
}
