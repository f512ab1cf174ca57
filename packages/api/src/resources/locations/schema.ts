import { z } from 'zod';
import { Id, Timestamp } from '../../wire.ts';

/** The location that a key belongs to. */
export const Location = z
  .object({
    id: Id,
    name: z.string().meta({ example: 'Cantina do Porto' }),
    timezone: z.string().meta({ description: 'IANA time zone.', example: 'America/Sao_Paulo' }),
    currency: z.string().meta({ description: 'ISO 4217 code.', example: 'BRL' }),
    created_at: Timestamp,
  })
  .meta({ id: 'Location', description: 'A restaurant or shop.' });
export type Location = z.infer<typeof Location>;
