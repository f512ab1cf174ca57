/** An id that a sample needs, and the call whose answer has it. The demo restaurant answers each of them. */
export interface SampleVariable {
  /** In capitals, as a shell names it. */
  name: string;
  /** The id of the documents that it represents. */
  example: string;
  /** `POST /v2/orders`; ids of variables before it are replaced by these. */
  call: string;
  /** The JSON body; `now` in its texts is replaced by the present time, so that each call makes something new. */
  body?: object;
  /** The `Idempotency-Key`, with `now` as in the body. */
  key?: string;
  /** The text around the id in the answer: the first one is taken. */
  before?: string;
  after?: string;
}

/** The placeholder for the present time in bodies and keys. */
export const now = '{now}';

/** A call as its document shows it: what is required, with the examples of the document, and a key where it creates something. */
export interface SampleCall {
  method: string;
  /** With its query: `/v2/orders/01935a3e-…`. */
  path: string;
  /** Without the key. */
  headers: [name: string, value: string][];
  /** The JSON body, if any. */
  body?: unknown;
  /** The answer does not end: it is shown as it comes. */
  streams: boolean;
  /** The placeholders of ids of the document in the written sample. */
  variables: SampleVariable[];
}

/** A call for a shell with curl, after a line for each variable. */
export function curl({ method, path, headers, body, streams, variables }: SampleCall): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const named = (text: string) => replaced(text, variables, ({ name }) => `$${name}`);
  const json = (value: unknown, indent?: number) =>
    replaced(quoted(JSON.stringify(value, null, indent)), variables, ({ name }) => `'"$${name}"'`).replaceAll(
      now,
      `'"$(date +%s)"'`,
    );
  const set = variables.map((each) => {
    const [verb = '', address = ''] = each.call.split(' ');
    const parts = [
      `curl -s ${verb === 'GET' ? '' : `-X ${verb} `}"$COMANDA_URL${named(address)}"`,
      '-H "Authorization: Bearer $COMANDA_KEY"',
      ...(each.key === undefined ? [] : [`-H "Idempotency-Key: ${each.key.replaceAll(now, '$(date +%s)')}"`]),
      ...(each.body === undefined ? [] : [`-H 'Content-Type: application/json' -d ${json(each.body)}`]),
    ];
    const { before, after } = around(each);
    return `${each.name}=$(${parts.join(' ')} | grep -o ${quoted(`${before}[^"]*"${after}`)} | head -1 | cut -d'"' -f${before.split('"').length})`;
  });
  const lines = [
    `curl ${streams ? '-sN ' : ''}${method === 'GET' ? '' : `-X ${method} `}"$COMANDA_URL${named(path)}"`,
    '-H "Authorization: Bearer $COMANDA_KEY"',
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${json(body, 2)}`]),
  ];
  return [...set, lines.join(' \\\n  ')].join('\n');
}

/** A call for Node, as a module. */
export function node({ method, path, headers, body, streams, variables }: SampleCall): string {
  const variable = ({ name }: SampleVariable) => name.toLowerCase();
  const json = (value: unknown, indent?: number) =>
    replaced(JSON.stringify(value, null, indent), variables, variable, '"').replace(
      /"([^"]*)\{now\}"/g,
      (_, text: string) => `"${text}" + Date.now()`,
    );
  const set = variables.map((each) => {
    const [verb = '', address = ''] = each.call.split(' ');
    const { before, after } = around(each);
    const more = [
      ...(verb === 'GET' ? [] : [`method: "${verb}"`]),
      ...(each.key === undefined ? [] : [`key: ${json(each.key)}`]),
      ...(each.body === undefined ? [] : [`body: ${json(each.body)}`]),
    ];
    const options = more.length === 0 ? '' : `, { ${more.join(', ')} }`;
    return `const ${variable(each)} = await idFrom(${inTemplate(address, variables, variable)}, /${before}([^"]*)"${after}/${options});`;
  });
  const all = ['Authorization: "Bearer " + key', ...headers.map(([name, value]) => `"${name}": "${value}"`)];
  const lines = [
    'const { COMANDA_URL: url, COMANDA_KEY: key } = process.env;',
    ...(set.length === 0 ? [] : nodeReader),
    ...set,
    `const response = await fetch(url + ${inTemplate(path, variables, variable)}, {`,
    ...(method === 'GET' ? [] : [`  method: "${method}",`]),
    `  headers: { ${all.join(', ')} },`,
    ...(body === undefined ? [] : [`  body: JSON.stringify(${json(body, 2).replaceAll('\n', '\n  ')}),`]),
    '});',
    streams
      ? 'for await (const piece of response.body) process.stdout.write(piece);'
      : 'console.log(response.status, await response.text());',
  ];
  return lines.join('\n');
}

const nodeReader = [
  'const idFrom = async (path, pattern, { method, key: repeat, body } = {}) => {',
  '  const headers = { Authorization: "Bearer " + key, "Content-Type": "application/json" };',
  '  if (repeat) headers["Idempotency-Key"] = repeat;',
  '  const answer = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });',
  '  return pattern.exec(await answer.text())[1];',
  '};',
];

/** A call for Python, as a script. */
export function python({ method, path, headers, body, streams, variables }: SampleCall): string {
  const variable = ({ name }: SampleVariable) => name.toLowerCase();
  const json = (value: unknown, indent?: number) =>
    replaced(pythonText(value, indent), variables, variable, '"').replace(
      /"([^"]*)\{now\}"/g,
      (_, text: string) => `"${text}" + str(time.time())`,
    );
  const set = variables.map((each) => {
    const [verb = '', address = ''] = each.call.split(' ');
    const { before, after } = around(each);
    const more = [
      ...(verb === 'GET' ? [] : [`, "${verb}"`]),
      ...(each.body === undefined ? [] : [`, ${json(each.body)}`]),
      ...(each.key === undefined ? [] : [`, key=${json(each.key)}`]),
    ].join('');
    return `${variable(each)} = id_from(${inFormat(address, variables, variable)}, r'${before}([^"]*)"${after}'${more})`;
  });
  const modules = [
    ...(body === undefined && set.length === 0 ? [] : ['json']),
    'os',
    ...(set.length === 0 ? [] : ['re', 'time']),
    'urllib.error',
    'urllib.request',
  ];
  const lines = [
    `import ${modules.join(', ')}`,
    '',
    ...(set.length === 0 ? [] : [...pythonReader, ...set, '']),
    'request = urllib.request.Request(',
    `    os.environ["COMANDA_URL"] + ${inFormat(path, variables, variable)},`,
    `    method="${method}",`,
    '    headers={',
    '        "Authorization": "Bearer " + os.environ["COMANDA_KEY"],',
    ...headers.map(([name, value]) => `        "${name}": ${JSON.stringify(value)},`),
    '    },',
    ...(body === undefined
      ? []
      : [`    data=json.dumps(${json(body, 4).replaceAll('\n', '\n    ')}).encode(),`]),
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

const pythonReader = [
  'def id_from(path, pattern, method="GET", body=None, key=None):',
  '    headers = {"Authorization": "Bearer " + os.environ["COMANDA_KEY"], "Content-Type": "application/json"}',
  '    if key:',
  '        headers["Idempotency-Key"] = key',
  '    data = json.dumps(body).encode() if body else None',
  '    request = urllib.request.Request(os.environ["COMANDA_URL"] + path, data, headers, method=method)',
  '    return re.search(pattern, urllib.request.urlopen(request, timeout=30).read().decode()).group(1)',
  '',
];

const around = ({ before = '"id":"', after = '' }: SampleVariable) => ({ before, after });

/** With a word of its language for each id, and for the text around it. */
function replaced(
  text: string,
  variables: readonly SampleVariable[],
  word: (variable: SampleVariable) => string,
  quote = '',
): string {
  return variables.reduce(
    (left, each) => left.replaceAll(`${quote}${each.example}${quote}`, () => word(each)),
    text,
  );
}

function inTemplate(
  path: string,
  variables: readonly SampleVariable[],
  word: (variable: SampleVariable) => string,
): string {
  const filled = replaced(path, variables, (each) => `\${${word(each)}}`);
  return filled === path ? `"${path}"` : `\`${filled}\``;
}

function inFormat(
  path: string,
  variables: readonly SampleVariable[],
  word: (variable: SampleVariable) => string,
): string {
  const filled = replaced(path, variables, (each) => `{${word(each)}}`);
  return `${filled === path ? '' : 'f'}"${filled}"`;
}

/** JSON is Python except for three words, which are replaced where they are no text. */
function pythonText(value: unknown, indent?: number): string {
  const words: Record<string, string> = { true: 'True', false: 'False', null: 'None' };
  return JSON.stringify(value, null, indent).replace(
    /"(?:[^"\\]|\\.)*"|\b(true|false|null)\b/g,
    (all, word?: string) => (word === undefined ? all : (words[word] ?? all)),
  );
}
