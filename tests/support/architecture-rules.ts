import type { ImportRule, TextRule } from './architecture.ts';

const ours = /^@comanda\//;
const resources = 'packages/api/src/resources/[^/]+';
const role = (name: string): RegExp => new RegExp(`^${resources}/([\\w-]+\\.)?${name}\\.ts$`);
const targets = (...paths: string[]): RegExp => new RegExp(`^(${paths.join('|')})$`);

const schemas = `${resources}/([\\w-]+\\.)?schema\\.ts`;
/** Shared tables and shapes that say what is on the wire and nothing else. */
const vocabulary = 'packages/api/src/(wire|events|permissions)\\.ts';

/** What batches are decided by; bound as rules themselves. */
const rulesOfBulk = 'packages/api/src/resources/bulk/(rules|rows)\\.ts';

/** Who may import whom; ARCHITECTURE.md says why. */
export const importRules: readonly ImportRule[] = [
  {
    rule: 'db imports no other package of ours',
    files: /^packages\/db\//,
    about: ours,
  },
  {
    rule: 'api imports db and no other package of ours',
    files: /^packages\/api\//,
    about: ours,
    allows: { target: /^@comanda\/db$/ },
  },
  {
    rule: 'worker imports db and the parts of api that api exports for it',
    files: /^packages\/worker\//,
    about: ours,
    allows: { target: /^@comanda\/(db|api\/[\w-]+)$/ },
  },
  {
    rule: 'client imports the types of api alone',
    files: /^packages\/client\//,
    about: ours,
    allows: { target: /^@comanda\/api(\/[\w-]+)?$/, typesOnly: true },
  },
  ...['api', 'client', 'db', 'worker'].map((name) => ({
    rule: 'a relative import stays in its package',
    files: new RegExp(`^packages/${name}/`),
    about: /^\.\.?\//,
    allows: { target: new RegExp(`^packages/${name}/(src/|package\\.json$)`) },
  })),
  {
    rule: 'the journey of a request knows neither the domain nor an entrance',
    files: /^packages\/api\/src\/(request|places|credentials|limits|metrics|replica)\//,
    about:
      /^packages\/api\/src\/((events|operations|router|app|index|main|services)\.ts|(http|resources|documents|processes|cli)\/)/,
  },
  {
    rule: 'what sheds load knows errors alone',
    files: /^packages\/api\/src\/places\//,
    about: /^packages\/api\//,
    allows: { target: /^packages\/api\/src\/(errors\.ts$|places\/)/ },
  },
  {
    rule: 'only scripts and tests import the worker',
    files: /^(packages\/(?!worker\/)|prisma\/)/,
    about: /^(@comanda\/worker|packages\/worker\/)/,
  },
  {
    rule: 'schema.ts imports zod, the vocabulary and other schemas',
    files: role('schema'),
    allows: { target: targets('zod', vocabulary, schemas) },
  },
  {
    rule: 'rules.ts, and what it imports beside it, reaches schemas, errors, the vocabulary and the rules of bulk alone',
    files: role('rules'),
    inherited: true,
    // zod: what schema.ts beside it stands on.
    allows: { target: targets('zod', 'packages/api/src/errors\\.ts', vocabulary, schemas, rulesOfBulk) },
  },
  {
    rule: 'a service knows no entrance: neither tRPC, REST, routers, documents nor the command line',
    files: new RegExp(`^${resources}/(?!([\\w-]+\\.)?router\\.ts$)`),
    about: new RegExp(
      `^(@trpc/.*|trpc-to-openapi|express|packages/api/src/((operations|router|app|index|main|services)\\.ts|request/(operation|journey)\\.ts|(http|documents|processes|cli)/.*)|${resources}/([\\w-]+\\.)?router\\.ts)$`,
    ),
  },
  {
    rule: 'router.ts imports operation.ts, the vocabulary, schemas and services of its folder, never db, SQL or rules',
    files: role('router'),
    allows: {
      target: targets(
        'packages/api/src/request/operation\\.ts',
        vocabulary,
        schemas,
        `${resources}/([\\w-]+\\.)?service\\.ts`,
        // A verb's own file, where service.ts would grow too long: orders/create.ts.
        `${resources}/(?!(statements|sql|rules|router)\\.ts)[\\w-]+\\.ts`,
        'zod',
      ),
    },
  },
  {
    rule: 'router.ts names the resources of other folders by their schemas alone',
    files: role('router'),
    about: /^\.\.\/[^.]/,
    allows: { target: targets(schemas) },
  },
];

/** What a file may be and hold. */
export const textRules: readonly TextRule[] = [
  {
    rule: 'has more than 300 lines',
    files: /^(packages|tests)\//,
    breaks: ({ text }) => text.trimEnd().split('\n').length > 300,
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
    rule: 'rules.ts, and what it imports beside it, has no clock, no chance and no environment',
    files: role('rules'),
    inherited: true,
    breaks: ({ text }) =>
      /\bDate\.now\(|\bnew Date\(\)|\bperformance\.|\bMath\.random\(|\bcrypto\.|\bprocess\.|\bset(Timeout|Interval|Immediate)\(|\bfetch\(|\bconsole\./.test(
        text,
      ),
  },
];
