export { trpcClient } from './as-trpc.ts';
