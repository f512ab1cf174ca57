import {
  type Clock,
  type Database,
  type Heartbeat,
  type Loop,
  ownBuild,
  type SecretBox,
  type Settings,
} from '@comanda/db';
import type { Logger } from 'pino';
import { createCertifications } from './certification/certifications.ts';
import { createBodyBytes } from './deliveries/collecting.ts';
import { createDeliveries, type Deliveries } from './deliveries/deliveries.ts';
import { createHealth, type Health } from './deliveries/health.ts';
import { createSilence, createSlots, type Load } from './deliveries/limits.ts';
import { createRecorder } from './deliveries/recorder.ts';
import { createSigning, type Signing } from './deliveries/signing.ts';
import { createWebhookSender, type WebhookSender } from './http/sender.ts';
import type { AttemptMeter } from './metrics/attempt-meter.ts';
import type { RunnerOptions, Tasks } from './runner.ts';
import { answerProbe } from './tasks/answer-probe.ts';
import { applyPlannedPrices } from './tasks/apply-price-change.ts';
import { certify } from './tasks/certify.ts';
import { deliverWebhooks } from './tasks/deliver-webhooks.ts';
import { type Keep, removeOld } from './tasks/remove-old.ts';
import { runSyncJobs } from './tasks/run-sync-jobs.ts';

/** The surroundings of the parts. */
export interface PartsOptions {
  settings: Keep &
    Pick<
      Settings,
      'deliveries' | 'webhookTimeoutMs' | 'webhookRetryDelaysSeconds' | 'webhookTargets' | 'webhookAllowCidrs'
    >;
  database: Database;
  /** A pool of its own for claims and records of attempts. */
  attempts: Database;
  secrets: SecretBox;
  heartbeat: Heartbeat;
  load: Load;
  meter: Pick<AttemptMeter, 'observe'>;
  log: Logger;
  clock: Clock;
}

/** The parts of a worker that do its work. Its loops and runners call them. */
export interface Parts {
  sender: WebhookSender;
  signing: Signing;
  health: Health;
  deliveries: Deliveries;
  /** The loop that collects the memory of large bodies. */
  collecting: Loop;
  context: RunnerOptions['context'];
  deliveryTasks: Tasks;
  importTasks: Tasks;
}

/** Makes the parts; the only one that runs by itself is `collecting`. */
export function createParts(options: PartsOptions): Parts {
  const { settings, database, attempts, secrets, heartbeat, log, clock } = options;
  const { webhookTimeoutMs: timeoutMs, webhookRetryDelaysSeconds: retryDelaysSeconds } = settings;
  const { version } = ownBuild();
  const sender = createWebhookSender({
    timeoutMs,
    clock,
    targets: settings.webhookTargets,
    allowCidrs: settings.webhookAllowCidrs,
  });
  const signing = createSigning(attempts, heartbeat.id, log, clock);
  const health = createHealth(database, log, clock);
  const { bytes, collecting } = createBodyBytes(clock);
  const deliveries = createDeliveries({
    clock,
    database: attempts,
    signing,
    health,
    log,
    sender,
    secrets,
    version,
    bytes,
    timeoutMs,
    retryDelaysSeconds,
    load: options.load,
    meter: options.meter,
    slots: createSlots(),
    silence: createSilence(),
    workerId: heartbeat.id,
    alive: heartbeat.alive,
    isHeard: () => heartbeat.steadyMs() > 0,
    recorder: createRecorder(attempts, { workerId: heartbeat.id, retryDelaysSeconds, clock }),
  });
  const certifications = createCertifications({ clock, database, sender, secrets, version, log });
  return {
    sender,
    signing,
    health,
    deliveries,
    collecting,
    context: { clock, database, deliveries, certifications, log },
    deliveryTasks: {
      // Of a paused worker the jobs wait in the queue, as all do that no worker takes.
      ...(settings.deliveries !== 'paused' && { 'deliver-webhooks': deliverWebhooks, certify }),
      'probe-deliveries': answerProbe,
    },
    importTasks: {
      'run-sync-jobs': runSyncJobs,
      'apply-price-change': applyPlannedPrices,
      'remove-old': removeOld(settings),
      'probe-imports': answerProbe,
    },
  };
}
