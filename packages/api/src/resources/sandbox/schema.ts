import { z } from 'zod';

/** A sandbox that holds the demo data again. */
export const SandboxReset = z
  .object({
    resets: z
      .int()
      .meta({ description: 'How often this sandbox was reset, this time included.', example: 3 }),
    products: z.int().meta({ description: 'Products of the demo data.', example: 40 }),
    orders: z.int().meta({ description: 'Orders of the demo data.', example: 46 }),
  })
  .meta({ id: 'SandboxReset', description: 'The sandbox holds the demo data again.' });
export type SandboxReset = z.infer<typeof SandboxReset>;
