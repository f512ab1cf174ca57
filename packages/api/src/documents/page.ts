/** The page at `/docs/try`, Swagger UI; everything it loads is listed in `pageAssets` or served beside it. */
export const pageHtml = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Try the Comanda API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/page.css">
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
  </head>
  <body>
    <p class="hint">
      <a href="/docs/">Documents</a>. Authorize with a key of a location that you test with, and that may do no more than
      you try: calls are real. The key stays in this tab, and goes with it.
    </p>
    <div id="docs"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/swagger-ui-standalone-preset.js"></script>
    <script src="/docs/init.js"></script>
  </body>
</html>
`;

/** The page's own looks: no frame around it, and the name of this product in its bar. */
export const pageStyle = `body { margin: 0; }
.hint { font: 1rem/1.5 system-ui, sans-serif; margin: 0.5rem 1rem; }
.swagger-ui .topbar .topbar-wrapper .link { visibility: hidden; max-width: 12rem; }
.swagger-ui .topbar .topbar-wrapper .link::before {
  content: 'Comanda';
  visibility: visible;
  color: #fff;
  font: 600 1.5rem sans-serif;
}
.swagger-ui .topbar .topbar-wrapper .link svg, .swagger-ui .topbar .topbar-wrapper .link img { display: none; }
`;

/**
 * What the page runs: both documents to choose from, by its own address too (`?version=v1`); requests go to the
 * server that the page came from; the key is kept for as long as the tab.
 */
export const pageScript = `const sameServer = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (original) => (spec) => original({ ...spec, servers: [{ url: window.location.origin }] }),
      },
    },
  },
});

const keptFor = 'comanda-key';
const keptKey = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (original) => (given) => {
          sessionStorage.setItem(keptFor, given.apiKey?.value ?? '');
          return original(given);
        },
        logout: (original) => (names) => {
          sessionStorage.removeItem(keptFor);
          return original(names);
        },
      },
    },
  },
});

window.ui = SwaggerUIBundle({
  dom_id: '#docs',
  urls: [
    { name: 'v2', url: '/openapi-v2.json' },
    { name: 'v1', url: '/openapi-v1.json' },
  ],
  layout: 'StandaloneLayout',
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  plugins: [sameServer, keptKey],
  'urls.primaryName': new URLSearchParams(window.location.search).get('version') === 'v1' ? 'v1' : 'v2',
  onComplete: () => {
    const key = sessionStorage.getItem(keptFor);
    if (key) window.ui.preauthorizeApiKey('apiKey', key);
  },
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
});
`;

/** Nothing but what this server serves: no other host, nothing inline. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The files that the page needs of swagger-ui-dist, with their types. */
export const pageAssets = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;
