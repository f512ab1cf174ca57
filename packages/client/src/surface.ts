import type { AppRouter } from '@comanda/api/router';
import type { events } from '@comanda/api/services';

/** Every procedure of the service with its input and output. In the built package: `scripts/client` writes it out. */
export type { AppRouter };

/** The error codes of the service. */
export type ErrorCode = AppRouter['_def']['_config']['$types']['errorShape']['data']['code'];

/** `data` of every event type. */
export type EventData = {
  [Type in keyof typeof events]: (typeof events)[Type]['data']['_zod']['output'];
};
