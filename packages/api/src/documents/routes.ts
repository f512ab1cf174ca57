import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import express from 'express';
import { ApiError } from '../errors.ts';
import type { AppRouter } from '../router.ts';
import { openApiDocument } from './openapi.ts';
import { pageAssets, pageHtml, pagePolicy, pageScript, pageStyle } from './page.ts';

/**
 * Serves `/openapi-v1.json`, `/openapi-v2.json` and `/docs`. None of them is an API call: no credential, no
 * envelope, no limit. Everything is made or read once, when it is first asked for. Contract: documents.
 */
export function documentRoutes(router: AppRouter): express.Router {
  const routes = express.Router({ caseSensitive: true });
  for (const version of ['v1', 'v2'] as const) {
    serve(routes, `/openapi-${version}.json`, 'application/json; charset=utf-8', async () =>
      JSON.stringify(await openApiDocument(router, version), null, 2),
    );
  }
  serve(routes, '/docs', 'text/html; charset=utf-8', () => pageHtml);
  serve(routes, '/docs/init.js', 'text/javascript; charset=utf-8', () => pageScript);
  serve(routes, '/docs/page.css', 'text/css; charset=utf-8', () => pageStyle);
  for (const [name, type] of Object.entries(pageAssets)) {
    serve(routes, `/docs/${name}`, type, () => readFileSync(join(assetFolder(), name)));
  }
  return routes;
}

function serve(routes: express.Router, path: string, type: string, make: () => Made | Promise<Made>): void {
  let content: Content | undefined;
  routes
    .route(path)
    .get(async (request, response) => {
      content ??= await contentOf(make);
      const { bytes, etag } = content;
      response.set({
        'Content-Type': type,
        'Cache-Control': 'no-cache',
        'Content-Security-Policy': pagePolicy,
        'Referrer-Policy': 'no-referrer',
        'X-Content-Type-Options': 'nosniff',
        ETag: etag,
      });
      if (request.headers['if-none-match']?.includes(etag)) response.status(304).end();
      else response.send(bytes);
    })
    .all((request) => {
      throw new ApiError('invalid_request', `${request.method} is not allowed here.`, {
        status: 405,
        headers: { Allow: 'GET, HEAD' },
      });
    });
}

type Made = string | Buffer<ArrayBuffer>;

interface Content {
  bytes: Buffer;
  etag: string;
}

async function contentOf(make: () => Made | Promise<Made>): Promise<Content> {
  const bytes = Buffer.from(await make());
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

const assetFolder = () => dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
