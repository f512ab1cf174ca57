import type { Command } from './command.ts';
import { certify } from './commands/certify.ts';
import { deliveriesList, deliveriesReplay } from './commands/deliveries.ts';
import { eventsTail } from './commands/events-tail.ts';
import { listen } from './commands/listen.ts';
import { mcp } from './commands/mcp.ts';
import { pullOrdersCommand } from './commands/pull-orders.ts';
import { push } from './commands/push.ts';
import { trigger } from './commands/trigger.ts';
import { verify } from './commands/verify.ts';
import { webhooksRotate } from './commands/webhooks-rotate.ts';

/** Every command, in the order in which `--help` shows them. */
export const commands: Readonly<Record<string, Command>> = {
  listen,
  trigger,
  'events tail': eventsTail,
  'deliveries list': deliveriesList,
  'deliveries replay': deliveriesReplay,
  'webhooks rotate': webhooksRotate,
  verify,
  certify,
  push,
  'pull orders': pullOrdersCommand,
  mcp,
};
