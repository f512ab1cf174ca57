import { setTimeout as sleep } from 'node:timers/promises';
import { processCpuMs, serverCpuMs } from '../cpu.ts';
import type { Stage } from './stage.ts';

/** CPU of the service in milliseconds; of what is idle, so much in a millisecond. */
export type ServiceCpu = Record<'api' | 'postgres' | 'worker', number>;

type Service = Pick<Stage, 'api' | 'worker' | 'setup'>;

/** Its CPU time until now. */
export const serviceCpuMs = ({ api, worker, setup }: Service): ServiceCpu => ({
  api: processCpuMs(api.pid),
  postgres: serverCpuMs(setup.postmaster),
  worker: processCpuMs(worker.pid),
});

/** Its CPU time in a millisecond while there are no calls. */
export async function idleServiceCpu(service: Service, ms: number): Promise<ServiceCpu> {
  const before = serviceCpuMs(service);
  await sleep(ms);
  const after = serviceCpuMs(service);
  const each = (name: keyof ServiceCpu) => (after[name] - before[name]) / ms;
  return { api: each('api'), postgres: each('postgres'), worker: each('worker') };
}
