import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot, sessionNamed, sessionSettings } from '@comanda/db';
import { expect, it } from 'vitest';

// A server, a database or a role may set DateStyle and others otherwise: no value is read or written before a session has its own.

/** Connections that get the settings in another way than by `sessionNamed` in the same statement. */
const otherwise = {
  'extras/bench/src/reference/main.ts': 'a database that is no Comanda, whose values it never reads',
  'extras/studio/src/database.ts': 'set for each transaction, as its role is',
  'packages/db/src/connection/hosts.ts': 'the session of sessionNamed, for each host',
  'packages/db/src/connection/notifications.ts': 'the session of sessionNamed, for each host',
  'packages/db/src/connection/pool.ts': 'the configuration of a pool; and a probe that reads nothing',
};

it('every connection sets what the reading and writing of values depends on', () => {
  const files = ['packages', 'extras', 'scripts']
    .flatMap((folder) =>
      readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        join(folder, name),
      ),
    )
    .filter((name) => /^((packages|extras)\/\w+\/src|scripts)\/.*\.ts$/.test(name));
  const bare = files.filter((file) => {
    const text = readFileSync(join(repositoryRoot, file), 'utf8');
    return /new (pg\.)?(Client|Pool)\((?!\s*(\.\.\.)?sessionNamed\()/.test(text) && /from 'pg'/.test(text);
  });
  expect(bare.sort()).toEqual(Object.keys(otherwise));
});

const own = Object.keys(sessionSettings).map((name) => `-c ${name}=`);
const optionsOf = (url: string) => sessionNamed(url, 'comanda-test').options;

it('startup options of a URL stay, before those of the service', () => {
  const given = sessionNamed(
    'postgresql://u:p@a:1,b:2/x?options=-c%20work_mem%3D8MB&sslmode=disable',
    'comanda-test',
  );
  expect(given.connectionString).toBe('postgresql://u:p@a:1,b:2/x?sslmode=disable');
  expect(given.options).toMatch(/^-c work_mem=8MB -c DateStyle=/);
  for (const option of own) expect(optionsOf('postgresql://u:p@a:1/x')).toContain(option);
});

it('a setting of the service wins over that of its URL', () => {
  const options = optionsOf('postgresql://u:p@a:1/x?options=-c%20datestyle%3DGerman');
  expect(options.lastIndexOf('-c DateStyle=ISO')).toBeGreaterThan(options.indexOf('-c datestyle=German'));
});
