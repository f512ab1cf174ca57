import type { oas31 } from 'zod-openapi';
import { type Documented, isStream } from './documented.ts';
import { parametersOf } from './parameters.ts';

/** A call as its document shows it: what is required, with the examples of the document. */
export interface SampleCall {
  method: string;
  /** With its query: `/v2/orders/01935a3e-…`. */
  path: string;
  /** But for the key. */
  headers: [name: string, value: string][];
  /** What is sent as JSON, if anything. */
  body?: unknown;
  /** The answer does not end: it is shown as it comes. */
  streams: boolean;
}

/** A language that every operation has a sample in. The sample reads the environment variables `COMANDA_URL` and `COMANDA_KEY`. */
export interface SampleLanguage {
  name: string;
  /** How Markdown names it. */
  fence: string;
  /** What it needs, and from which version. */
  needs: string;
  write(call: SampleCall): string;
}

/** The languages, in the order of their tabs. Neither needs a package. */
export const sampleLanguages: readonly SampleLanguage[] = [
  { name: 'curl', fence: 'sh', needs: 'curl', write: curl },
  { name: 'Node', fence: 'js', needs: 'Node 18 or later, as a file `.mjs`', write: node },
  { name: 'Python', fence: 'python', needs: 'Python 3.8 or later', write: python },
];

/** The call of an operation. Throws when a required parameter has no example. */
export function sampleCall({ method, path, operation, components }: Documented): SampleCall {
  const needed = parametersOf(operation, components).filter(({ required }) => required);
  const values = new Map(needed.map(({ name, example }) => [name, String(example)]));
  const of = (place: string) => needed.filter((each) => each.in === place).map(({ name }) => name);
  const value = (name: string) => {
    const known = values.get(name);
    if (known === undefined || known === 'undefined')
      throw new Error(`${method} ${path}: ${name} has no example`);
    return known;
  };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(value(name)));
  const query = of('query').map((name) => `${name}=${encodeURIComponent(value(name))}`);
  const content = (operation.requestBody as oas31.RequestBodyObject | undefined)?.content['application/json'];
  const headers = of('header').map((name): [string, string] => [name, value(name)]);
  return {
    method,
    streams: isStream({ operation }),
    path: query.length > 0 ? `${filled}?${query.join('&')}` : filled,
    headers: content === undefined ? headers : [...headers, ['Content-Type', 'application/json']],
    ...(content !== undefined && { body: content.example }),
  };
}

function curl({ method, path, headers, body, streams }: SampleCall): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [
    `curl ${streams ? '-sN ' : ''}${method === 'GET' ? '' : `-X ${method} `}"$COMANDA_URL${path}"`,
    '-H "Authorization: Bearer $COMANDA_KEY"',
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ];
  return lines.join(' \\\n  ');
}

function node({ method, path, headers, body, streams }: SampleCall): string {
  const all = ['Authorization: "Bearer " + key', ...headers.map(([name, value]) => `"${name}": "${value}"`)];
  const lines = [
    'const { COMANDA_URL: url, COMANDA_KEY: key } = process.env;',
    `const response = await fetch(url + "${path}", {`,
    ...(method === 'GET' ? [] : [`  method: "${method}",`]),
    `  headers: { ${all.join(', ')} },`,
    ...(body === undefined
      ? []
      : [`  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),`]),
    '});',
    streams
      ? 'for await (const piece of response.body) process.stdout.write(piece);'
      : 'console.log(response.status, await response.text());',
  ];
  return lines.join('\n');
}

function python({ method, path, headers, body, streams }: SampleCall): string {
  const lines = [
    `import ${body === undefined ? '' : 'json, '}os, urllib.error, urllib.request`,
    '',
    'request = urllib.request.Request(',
    `    os.environ["COMANDA_URL"] + ${JSON.stringify(path)},`,
    `    method="${method}",`,
    '    headers={',
    '        "Authorization": "Bearer " + os.environ["COMANDA_KEY"],',
    ...headers.map(([name, value]) => `        "${name}": ${JSON.stringify(value)},`),
    '    },',
    ...(body === undefined
      ? []
      : [`    data=json.dumps(${pythonText(body).replaceAll('\n', '\n    ')}).encode(),`]),
    ')',
    'try:',
    '    response = urllib.request.urlopen(request, timeout=30)',
    'except urllib.error.HTTPError as error:',
    '    response = error',
    ...(streams
      ? ['for line in response:', '    print(line.decode(), end="", flush=True)']
      : ['print(response.status, response.read().decode())']),
  ];
  return lines.join('\n');
}

/** JSON is Python but for three words, which stand alone where they are no text. */
function pythonText(value: unknown): string {
  const words: Record<string, string> = { true: 'True', false: 'False', null: 'None' };
  return JSON.stringify(value, null, 4).replace(
    /^( *(?:"(?:[^"\\]|\\.)*": )?)(true|false|null)(,?)$/gm,
    (_, before: string, word: string, after: string) => before + words[word] + after,
  );
}
