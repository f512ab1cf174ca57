import type { Task } from './task.ts';

/**
 * Sets an endpoint's loop going and is done: what waits stands in the table, so a crash loses nothing, and no
 * slot of the queue is held while a consumer takes its time.
 */
export const deliverWebhooks: Task<'deliver-webhooks'> = async (endpoint, { deliveries }) => {
  deliveries.attend(endpoint);
};
