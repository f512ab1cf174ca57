import * as metrics from '../metrics/statements.ts';
import { type Check, count, duration, judge, ok, warning, wrong } from './check.ts';
import * as sql from './statements.ts';

/** Whether the work gets done: workers, relay, deliveries, jobs. */
export const workChecks: readonly Check[] = [
  {
    name: 'workers',
    means: 'A worker lives: without one no webhook is sent and no sync job is applied.',
    advice:
      'Start one: node dist/worker.js, or npm start, which runs one. A worker that fell silent was killed or cannot reach the database. One that is paused sends no webhook, as on a copy: where this is no copy, start it without DELIVERIES=paused.',
    async run({ database }) {
      const rows = await database.run(metrics.readHeartbeats, []);
      const workers = rows.filter(({ kind }) => kind === 'worker');
      const alive = workers.filter((row) => row.alive);
      const silent = workers.filter((row) => !row.alive);
      const apis = rows.filter((row) => row.kind === 'api' && row.alive).length;
      if (alive.length === 0) return wrong('no worker is alive');
      const paused = alive.filter((row) => row.paused).map(({ host, pid }) => `${host}:${pid}`);
      const living = `${count(alive.length, 'worker')} and ${count(apis, 'API process', 'API processes')} alive`;
      const found =
        paused.length === 0 ? living : `${living}; with DELIVERIES=paused: ${paused.slice(0, 5).join(', ')}`;
      if (silent.length === 0) return paused.length === 0 ? ok(found) : warning(found);
      const names = silent.map(({ host, pid, ageSeconds }) => `${host}:${pid} for ${duration(ageSeconds)}`);
      return warning(`${found}; silent: ${names.slice(0, 5).join(', ')}`);
    },
  },
  {
    name: 'relay lag',
    means: 'Changes become events soon after they are made.',
    advice:
      'See that a worker is alive; look for long transactions below and for warnings of the relay in its log.',
    async run({ database, thresholds }) {
      const [row] = await database.run(metrics.relayBacklog, []);
      const lag = row?.lagSeconds ?? 0;
      if (row === undefined || row.waiting === 0) return ok('nothing waits');
      return judge(
        lag,
        thresholds.relayLagSeconds,
        `${count(row.waiting, 'change')} waiting, the oldest for ${duration(lag)}`,
      );
    },
  },
  {
    name: 'publishing',
    means: 'Changes are published: none waits for a minute in which none is published.',
    advice:
      'Start a worker where none is alive. Else its log says why each change fails, or what it waits for: end long transactions (locks, below). The check of changes set aside has the cause of those.',
    async run({ database }) {
      const [row] = await database.run(metrics.publishingState, []);
      if (row?.stalled !== true) return ok('it goes on');
      const beats = await database.run(metrics.readHeartbeats, []);
      if (!beats.some(({ kind, alive }) => kind === 'worker' && alive))
        return wrong('stalled: changes wait, and no worker is alive');
      const [first] = await database.run(sql.setAside, []);
      const cause =
        first === undefined
          ? 'a worker is alive and publishes none'
          : `changes of ${first.resource} fail: ${(first.error ?? 'no reason kept').slice(0, 200)}`;
      return wrong(`stalled: changes wait, and none has been published for a minute; ${cause}`);
    },
  },
  {
    name: 'changes set aside',
    means: 'Every change can be published.',
    advice:
      'A change is tried ten times, then it waits for a person. Repair the cause, then: npm run -s comanda -- relay retry',
    async run({ database }) {
      const rows = await database.run(sql.setAside, []);
      if (rows.length === 0) return ok('none');
      const texts = rows.map(
        ({ resource, error, count: number, most }) =>
          `${number} of ${resource} (${count(most, 'failure')}): ${(error ?? 'no reason kept').slice(0, 200)}`,
      );
      return wrong(texts.join('; '));
    },
  },
  {
    name: 'stuck deliveries',
    means: 'Every due delivery of an active endpoint has a worker.',
    advice: 'See that a worker is alive; it looks for such deliveries every 5 s. Else read its log.',
    async run({ settings, database, thresholds }) {
      const [row] = await database.run(sql.stuckDeliveries, [thresholds.stuckSeconds]);
      if (row === undefined || row.count === 0) return ok('none');
      const oldest = duration(row.oldestSeconds ?? 0);
      const found = `${count(row.count, 'delivery', 'deliveries')} to ${count(row.endpoints, 'endpoint')} due and untouched, the oldest for ${oldest}`;
      // The workers' own report counts; where none lives, the settings of a worker started here count.
      const workers = (await database.run(metrics.readHeartbeats, [])).filter(
        ({ kind, alive }) => kind === 'worker' && alive,
      );
      const isPaused =
        workers.length === 0 ? settings.deliveries === 'paused' : workers.every(({ paused }) => paused);
      return isPaused ? warning(`${found}: DELIVERIES=paused`) : wrong(found);
    },
  },
  {
    name: 'failing endpoints',
    means: 'No endpoint fails every time.',
    advice: 'Inform its owner, or disable it: each event is tried five times and then is dead.',
    async run({ database, thresholds }) {
      const rows = await database.run(sql.failingEndpoints, [thresholds.failingAttempts]);
      if (rows.length === 0) return ok('none');
      const shown = rows
        .slice(0, 5)
        .map(
          ({ id, locationId, reason }) => `${id} of location ${locationId}: ${reason ?? 'no reason kept'}`,
        );
      return warning(`${count(rows.length, 'endpoint')}: ${shown.join('; ')}`);
    },
  },
  {
    name: 'dead deliveries',
    means: 'No delivery died in the last day.',
    advice:
      'When the consumer is well again, send them again: at the desk, or by comanda webhooks replay <endpoint>; one of them by comanda deliveries retry <delivery>. Its owner can by POST /v2/webhook-endpoints/{id}/replay.',
    async run({ database }) {
      const [row] = await database.run(sql.deadDeliveries, []);
      if (row === undefined || row.count === 0) return ok('none in the last day');
      return warning(
        `${count(row.count, 'delivery', 'deliveries')} to ${count(row.endpoints, 'endpoint')} in the last day`,
      );
    },
  },
  {
    name: 'jobs given up',
    means: 'No job of the queue failed for good.',
    advice:
      'Read the reason. Deliveries come back by themselves; a sync job that failed is run again at the desk, or by comanda jobs retry <job>; any other by graphile_worker.reschedule_jobs.',
    async run({ database }) {
      const [queue] = await database.run(metrics.queueExists, []);
      if (queue?.exists !== true) return ok('there is no queue yet');
      const rows = await database.run(sql.failedJobs, []);
      if (rows.length === 0) return ok('none');
      return wrong(
        rows
          .map(({ task, count: number, error }) => `${number} ${task}: ${(error ?? '').slice(0, 200)}`)
          .join('; '),
      );
    },
  },
  {
    name: 'moves',
    means:
      'No move of a location to another cell was forgotten: once the location is copied it takes no writes until the move ends.',
    advice:
      'Run the same comanda locations move again, which goes on where it stopped (with --continue where the proxies have loaded the map); or take it back by --abort.',
    async run({ database, thresholds }) {
      const moves = await database.run(sql.openMoves, []);
      if (moves.length === 0) return ok('none under way');
      const texts = moves
        .slice(0, 5)
        .map(
          ({ id, cell, step, stepSeconds, refusedSeconds }) =>
            `${id} to cell ${cell} is at the step ${step} for ${duration(stepSeconds)}, ${refusedSeconds === null ? 'writes go on' : `writes are refused for ${duration(refusedSeconds)}`}`,
        );
      const found = `${count(moves.length, 'move')} under way: ${texts.join('; ')}`;
      // To copy a long history takes longer, and refuses nothing.
      const isLate = ({ stepSeconds, refusedSeconds }: (typeof moves)[number]) =>
        stepSeconds > thresholds.moveSeconds * (refusedSeconds === null ? 12 : 1);
      return moves.some(isLate) ? warning(found) : ok(found);
    },
  },
];
