import type { Command } from '../command.ts';
import { endpointPath } from './deliveries.ts';

/** Gives an endpoint another signing secret. */
export const webhooksRotate: Command = {
  summary: 'Give a webhook endpoint a new signing secret, and print it once',
  positionals: '[ENDPOINT]',
  options: {
    'expire-previous': { help: 'previous secrets sign nothing from now on, as when one leaked' },
  },
  more: [
    'The old one signs as well for 24 hours. It needs a key with webhooks:read and webhooks:write. ENDPOINT is its id, and may be',
    'left out where there is one.',
  ],
  async run(context) {
    const service = context.service();
    const path = `${await endpointPath(context, service)}/rotate-secret`;
    const now = context.flag('expire-previous');
    const { data } = (await service.call({ method: 'POST', path, body: { expire_previous: now } })) as {
      data: { secret: string };
    };
    context.terminal.say(data.secret);
    context.terminal.note(
      now ? 'previous secrets sign nothing any more' : 'the previous secret signs as well for 24 hours',
    );
    return 0;
  },
};
