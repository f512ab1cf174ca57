// npm run demo: the main job, step by step, against a running server.
import { bootstrap, runScript, withSignals } from '../../scripts/bootstrap.mjs';

const help = `npm run demo

Does the whole job of an ERP against the running server, in a location of its own: registers a webhook,
syncs 500 products, places an order twice, moves it to closed, and verifies every event it receives.

It finds the server that npm start runs in this folder. Another one is named by
  COMANDA_URL    its base URL, like http://127.0.0.1:3000
  DATABASE_URL   its database, in which the demo makes its location and key`;

await runScript(async () => {
  const words = process.argv.slice(2);
  if (words.length > 0) {
    const asked = words.every((word) => word === '--help' || word === '-h');
    console[asked ? 'log' : 'error'](
      asked ? help : `demo: there is no ${words.join(' ')}; see npm run demo -- --help`,
    );
    return asked ? 0 : 1;
  }
  await withSignals((signal) =>
    bootstrap({ packages: 'run', log: console.error, signal, bundles: ['demo'] }),
  );
  const { main } = await import('../../dist/demo.js');
  return main();
});
