import { createNotifications, openDatabase } from '@comanda/db';
import { createCredentials } from '../../packages/api/src/credentials/credentials.ts';
import { createLimiter } from '../../packages/api/src/limits/limiter.ts';
import { serverCpuMs } from '../cpu.ts';
import { median } from '../load.ts';
import { figureRow } from '../result.ts';
import { makeTenant } from '../setup.ts';
import type { Part } from './part.ts';

/** Authentication and both request limits: what they add to a request. */
export const admission: Part = {
  name: 'admission',
  summary: 'authentication and limits, per request',
  async run({ setup, effort, small }) {
    const database = openDatabase({ url: setup.comandaUrl });
    const notifications = createNotifications(setup.comandaUrl);
    const credentials = createCredentials(database, notifications);
    const limiter = createLimiter(database, { notifications });
    const tenants = await Promise.all(Array.from({ length: 20 }, () => makeTenant(setup)));
    const headers = tenants.map(({ key }) => `Bearer ${key}`);
    const count = small ? 2_000 : 300_000;
    const admit = async () => {
      for (let index = 0; index < count; index += 1) {
        const known = credentials.authenticate(headers[index % headers.length]);
        const caller = known instanceof Promise ? await known : known;
        const admitted = limiter.admit(caller);
        if (admitted instanceof Promise) await admitted;
      }
    };
    await admit();
    const node: number[] = [];
    const postgres: number[] = [];
    for (let repeat = 0; repeat < effort.repeats; repeat += 1) {
      const before = { node: process.cpuUsage(), postgres: serverCpuMs(setup.postmaster) };
      await admit();
      const { user, system } = process.cpuUsage(before.node);
      node.push((user + system) / count);
      postgres.push(((serverCpuMs(setup.postmaster) - before.postgres) * 1000) / count);
    }
    await limiter.close();
    await credentials.close();
    await notifications.close();
    await database.close();
    return [
      figureRow(
        'admission',
        'authentication and limits: Node per request',
        { most: 15, unit: ' µs' },
        median(node),
      ),
      figureRow(
        'admission',
        'authentication and limits: PostgreSQL per request',
        { most: 10, unit: ' µs' },
        Math.max(0.1, median(postgres)),
        'tests/api/limits-shared.test.ts holds that no limit ever admits one more',
      ),
    ];
  },
};
