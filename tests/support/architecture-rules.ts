import { type ImportRule, type TextRule, withoutComments } from './architecture.ts';
import { printsByItself } from './printing.ts';
import { schedulesItself } from './timers.ts';

const ours = /^@comanda\//;
const resources = 'packages/api/src/resources/[^/]+';
const role = (name: string): RegExp => new RegExp(`^${resources}/([\\w-]+\\.)?${name}\\.ts$`);
const targets = (...paths: string[]): RegExp => new RegExp(`^(${paths.join('|')})$`);

const schemas = `${resources}/([\\w-]+\\.)?schema\\.ts`;
/** Shared tables and shapes that say what is on the wire and nothing else. */
const vocabulary =
  'packages/api/src/(examples|families|moments|references|schema-words|texts|wire|lists|permissions|typed-as)\\.ts';

/** Rules of any resource: they bind each other. */
const rules = `${resources}/([\\w-]+\\.)?rules\\.ts`;

/** The permitted imports; ARCHITECTURE.md says why. */
export const importRules: readonly ImportRule[] = [
  {
    rule: 'db imports no other package of the workspace',
    files: /^packages\/db\//,
    about: ours,
  },
  {
    rule: 'embedded imports db and no other package of the workspace',
    files: /^packages\/embedded\//,
    about: ours,
    allows: { target: /^@comanda\/db$/ },
  },
  {
    rule: 'of our packages api imports db, and its doctor the embedded server',
    files: /^packages\/api\/src\/(?!doctor\/)/,
    about: ours,
    allows: { target: /^@comanda\/db(\/terminal)?$/ },
  },
  {
    rule: 'doctor imports db and the embedded server',
    files: /^packages\/api\/src\/doctor\//,
    about: ours,
    allows: { target: /^@comanda\/(db|embedded(\/database-url)?)$/ },
  },
  {
    rule: 'the command line imports db, the embedded server, and of api the domain, doctor and the tables: no entrance',
    files: /^packages\/cli\//,
    about: ours,
    allows: {
      target:
        /^(@comanda\/(db(\/build|\/configuring|\/migrating|\/terminal)?|embedded(\/database-url)?)$|packages\/api\/src\/(([\w-]+|call\/(answer|audit|context|operator|races|writing))\.ts$|doctor\/|resources\/[\w-]+\/([\w-]+\.)?(schema|rules|statements|store|service)\.ts$))/,
    },
  },
  {
    rule: 'the supervisor imports db and the embedded server',
    files: /^packages\/supervisor\//,
    about: ours,
    allows: { target: /^@comanda\/(db|embedded)(\/[\w-]+)?$/ },
  },
  {
    rule: 'nothing imports a program, and nothing but the command line api past its entrances',
    files: /^packages\/(?!cli\/)/,
    about: /^@comanda\/((cli|supervisor)(\/|$)|api\/src\/)/,
  },
  {
    rule: 'worker imports db and the parts of api that api exports for it',
    files: /^packages\/worker\//,
    about: ours,
    allows: { target: /^@comanda\/(db(\/terminal)?|api\/[\w-]+)$/ },
  },
  {
    rule: 'client imports the types of api alone',
    files: /^packages\/client\//,
    about: ours,
    allows: { target: /^@comanda\/api(\/[\w-]+)?$/, typesOnly: true },
  },
  {
    rule: 'nothing that runs in production, or starts it, imports what extras/ holds',
    files: /^(packages|prisma|scripts)\/(?!suites\/)/,
    about: /^extras\//,
  },
  {
    rule: 'extras import themselves, the exports of packages, and the scripts that install and build',
    files: /^extras\/[^/]+\/(?!tests\/|journeys\/)/,
    about: /^\.\.?\/|^(packages|prisma|tests)\//,
    allows: { target: /^(dist|extras|scripts)\/|^@comanda\// },
  },
  {
    rule: 'the commands of extras/operator import db, the embedded server, the command line, and of api the domain and doctor',
    files: /^extras\/operator\/src\//,
    about: ours,
    allows: {
      target:
        /^(@comanda\/(cli(\/[\w-]+)?|db(\/migrating)?|embedded(\/database-url)?)$|packages\/api\/src\/([\w-]+\.ts$|doctor\/|resources\/locations\/([\w-]+\.)?(statements|store)\.ts$))/,
    },
  },
  {
    rule: 'no other extra imports api past its entrances',
    files: /^extras\/(?!operator\/)[^/]+\/(?!tests\/|journeys\/)/,
    about: /^@comanda\/api\/src\//,
  },
  {
    rule: 'what integrators download imports the client, how the worker signs, and what writes to terminals',
    files: /^extras\/integrator\/src\//,
    allows: {
      target:
        /^(@comanda\/(client(\/webhooks)?|worker\/webhook-headers|db\/terminal)$|node:|extras\/integrator\/)/,
    },
  },
  {
    rule: 'the app is built on the client alone, and on what shows it: no private API',
    files: /^packages\/app\//,
    allows: {
      target:
        /^(@comanda\/client(\/shared)?$|packages\/client\/|packages\/app\/|react$|react-dom$|@tanstack\/react-query$|@base-ui\/react$)/,
    },
  },
  ...['api', 'app', 'cli', 'client', 'db', 'embedded', 'supervisor', 'testing', 'worker'].map((name) => ({
    rule: 'a relative import stays in its package',
    files: new RegExp(`^packages/${name}/`),
    about: /^\.\.?\//,
    allows: { target: new RegExp(`^packages/${name}/(src/|package\\.json$)`) },
  })),
  {
    rule: 'the way of a call knows neither the domain nor an entrance',
    files: /^packages\/api\/src\/(call|capacity|credentials|limits|metrics)\//,
    about:
      /^packages\/api\/src\/((router|app|index|main|services)\.ts|(http|resources|documents|processes|doctor)\/)/,
  },
  {
    rule: 'what sheds load knows errors alone',
    files: /^packages\/api\/src\/capacity\//,
    about: /^packages\/api\//,
    allows: { target: /^packages\/api\/src\/(errors\.ts$|capacity\/)/ },
  },
  {
    rule: 'what runs in the tests of applications imports the client, the reasons, and how the worker signs',
    files: /^packages\/testing\/src\/(?!service\/)/,
    allows: {
      target:
        /^(@comanda\/(client(\/webhooks)?|api\/(reasons|carried)|worker\/webhook-headers)$|@trpc\/server$|node:|packages\/testing\/src\/[\w-]+\.ts$)/,
    },
  },
  {
    rule: 'only scripts, tests and the service of tests import the worker, except its signature',
    files: /^(packages\/(?!worker\/|testing\/src\/service\/)|prisma\/)/,
    about: /^(@comanda\/worker|packages\/worker\/)/,
    allows: { target: /^packages\/worker\/src\/http\/headers\.ts$/ },
  },
  {
    rule: 'schema.ts imports zod, the vocabulary and other schemas',
    files: role('schema'),
    allows: { target: targets('zod', vocabulary, schemas) },
  },
  {
    rule: 'rules.ts imports schemas, errors, the vocabulary and other rules alone',
    files: role('rules'),
    // zod: the base of schema.ts next to it. ipaddr.js: reads an address of a webhook.
    allows: {
      target: targets('zod', 'ipaddr\\.js', 'packages/api/src/errors\\.ts', vocabulary, schemas, rules),
    },
  },
  {
    rule: 'a service knows no entrance: neither tRPC, REST, routers, documents nor doctor',
    files: new RegExp(`^${resources}/(?!([\\w-]+\\.)?router\\.ts$)`),
    about: new RegExp(
      `^(@trpc/.*|trpc-to-openapi|express|packages/api/src/((router|app|index|main|services)\\.ts|call/(operations?|call)\\.ts|(http|documents|processes|doctor)/.*)|${resources}/([\\w-]+\\.)?router\\.ts)$`,
    ),
  },
  {
    rule: 'router.ts imports operation.ts, subscription.ts and keyless.ts, the vocabulary, schemas and services of its folder, never db, SQL or rules',
    files: role('router'),
    allows: {
      target: targets(
        'packages/api/src/call/(keyless|operation|subscription)\\.ts',
        vocabulary,
        schemas,
        `${resources}/([\\w-]+\\.)?service\\.ts`,
        'zod',
      ),
    },
  },
  {
    rule: 'store.ts knows no call: of its way it takes the audit, its operator and the races alone, and no service',
    files: role('store'),
    about: new RegExp(`^packages/api/src/call/|^${resources}/([\\w-]+\\.)?(service|router)\\.ts$`),
    allows: { target: /^packages\/api\/src\/call\/(audit|operator|races)\.ts$/ },
  },
  {
    rule: 'router.ts names the resources of other folders by their schemas alone',
    files: role('router'),
    about: /^\.\.\/[^.]/,
    allows: { target: targets(schemas) },
  },
];

/** The permitted size and content of a file. */
export const textRules: readonly TextRule[] = [
  {
    rule: 'is named after no role: <role>.ts or <topic>.<role>.ts',
    files: new RegExp(`^${resources}/`),
    breaks: ({ path }) => !/\/([a-z-]+\.)?(schema|rules|statements|store|service|router)\.ts$/.test(path),
  },
  {
    rule: 'holds a statement, which belongs in statements.ts, or in the service.ts of a folder that has none',
    files: new RegExp(`^${resources}/(?!([\\w-]+\\.)?statements\\.ts$)`),
    breaks: ({ path, text }, { files }) =>
      (/\b(page)?[sS]tatement(<[^(]*>)?\(/.test(text) ||
        /[`'](select|insert into|update|delete from|with) [^`']*\b(from|values|set)\b/.test(
          text.replace(/\$queryRaw(<[^`]*>)?`[^`]*`/g, ''),
        )) &&
      (!path.endsWith('/service.ts') ||
        files.some((other) => other.path === path.replace(/service\.ts$/, 'statements.ts'))),
  },
  {
    rule: 'writes a constant in capitals',
    files: /^(packages|extras|scripts|tests|prisma)\//,
    breaks: ({ text }) => /^(export )?const [A-Z][A-Z0-9_]+\b/m.test(text),
  },
  {
    rule: 'spreads a list into arguments: one that a caller made long ends in a RangeError',
    files: /^packages\/api\/src\/(?!(doctor|documents|metrics)\/)/,
    breaks: ({ text }) =>
      /\.(push|unshift|splice)\(\s*\.\.\.|\b(Math\.(max|min)|fromCharCode|fromCodePoint|invalid)\((\w+, )?\s*\.\.\./.test(
        text,
      ),
  },
  {
    rule: 'schedules itself again, which is for packages/db/src/loops/loop.ts alone',
    // Live lists run in browsers, where the loop of packages/db does not run, and port.mjs before anything is installed. The
    // supervisor is no service: it starts children again when they end.
    files: /^packages\/(?!db\/src\/(loops\/loop\.ts|processes\/port\.mjs)$|client\/src\/live\/|supervisor\/)/,
    breaks: ({ text }) => schedulesItself(text),
  },
  {
    rule: 'takes the time past the clock that it was given (packages/db/src/loops/clock.ts)',
    // main.ts ends the process: a real time.
    files: /^packages\/worker\/src\/(?!main\.ts$|certification\/)/,
    breaks: ({ text }) =>
      /\bperformance\.now\(|(?<!\bclock\.)\bsetTimeout\(|timers\/promises/.test(withoutComments(text)),
  },
  {
    rule: 'writes to the terminal past packages/db/src/terminal.ts, which shows as codes what must not reach one',
    files: /^(packages|scripts|extras\/[^/]+\/src)\/(?!db\/src\/terminal\.ts$).*\.tsx?$/,
    breaks: ({ path, text }) =>
      path !== 'packages/api/src/documents/site/sample-writers.ts' && printsByItself(text),
  },
  {
    rule: 'names an SQLSTATE, which is for packages/db/src/connection/sql-states.ts alone',
    files: /^(packages|extras\/[^/]+\/src|scripts)\/(?!db\/src\/connection\/sql-states\.ts$)/,
    breaks: ({ text }) =>
      /\b(23[05]\d\d|25[0P]0\d|40P01|40001|42501|42P01|42883|42704|53[1-4]00|55P03|57014|57P0\d|58P0\d|22023|08006|CM0\d\d)\b/.test(
        withoutComments(text),
      ),
  },
  {
    rule: 'is named after no idea',
    files: /(^|\/)(utils|util|helpers|types|common|misc)\.[cm]?[jt]s$/,
    breaks: () => true,
  },
  {
    rule: 'has a default export',
    files: /^(?!.*\.config\.ts$)/,
    breaks: ({ text }) => /^export (default\b|\{[^}]*\bas default\b)/m.test(text),
  },
  {
    rule: 'rules.ts has no clock, no chance and no environment',
    files: role('rules'),
    breaks: ({ text }) =>
      /\bDate\.now\(|\bnew Date\(\)|\bperformance\.|\bMath\.random\(|\bcrypto\.|\bprocess\.|\bset(Timeout|Interval|Immediate)\(|\bfetch\(|\bconsole\./.test(
        text,
      ),
  },
];
