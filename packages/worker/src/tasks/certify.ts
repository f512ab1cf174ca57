import type { Task } from './task.ts';

/** Sets a certification going and is done: it takes minutes, and would hold a slot of the queue. */
export const certify: Task<'certify'> = (run, { certifications }) => certifications.begin(run);
