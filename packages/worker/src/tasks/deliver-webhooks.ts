import type { Task } from './task.ts';

/**
 * Starts an endpoint's loop and is done: pending deliveries are in the table, so a crash loses nothing, and
 * no slot of the queue is held while a consumer takes its time.
 */
export const deliverWebhooks: Task<'deliver-webhooks'> = async (endpoint, { deliveries }) => {
  deliveries.attend(endpoint);
};
