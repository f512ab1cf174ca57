import { z } from 'zod';
import { list } from '../../lists.ts';
import { Name } from '../../texts.ts';
import { DateFilter } from '../../wire.ts';

const Clock = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, HH:MM')
  .meta({ description: 'A time of day in the zone of the location.', example: '11:30' });

const span = {
  opens: Clock,
  closes: z
    .string()
    .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time of day, HH:MM')
    .meta({
      description: 'On the next day where it is not later than `opens`. `24:00` is the end of the day.',
      example: '02:00',
    }),
};

/** A time from opening to closing. */
export const OpeningSpan = z
  .object(span)
  .meta({ id: 'OpeningSpan', description: 'A time from opening to closing.' });

/** The spans that open on a day of the week. */
export const WeeklySpan = z
  .object({
    day: z
      .enum(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'])
      .meta({ description: 'The day on which it opens.', example: 'friday' }),
    ...span,
  })
  .meta({ id: 'WeeklySpan', description: 'A time from opening to closing, each week.' });

/** A date with hours of its own. */
export const OpeningException = z
  .object({
    date: DateFilter.meta({ description: 'The date, in the zone of the location.', example: '2026-12-25' }),
    name: Name.optional().meta({ description: 'What people call the day.', example: 'Christmas' }),
    spans: list(OpeningSpan, 10).meta({
      description: 'What opens on that date in place of the weekly hours; empty where it is closed.',
    }),
  })
  .meta({ id: 'OpeningException', description: 'A date with hours of its own.' });

/** When a location is open. */
export const OpeningHours = z
  .object({
    weekly: list(WeeklySpan, 70).meta({ description: 'The hours of each week; they may overlap.' }),
    exceptions: list(OpeningException, 366)
      .check(({ value, issues }) => {
        const dates = value.map(({ date }) => date);
        for (const [index, date] of dates.entries())
          if (dates.indexOf(date) < index)
            issues.push({
              code: 'custom',
              path: [index, 'date'],
              message: 'must not be given twice',
              input: date,
            });
      })
      .meta({ description: 'Dates with hours of their own, each once.' }),
  })
  .meta({
    id: 'OpeningHours',
    description: 'When a location is open, by the clocks of its zone.',
    example: {
      weekly: [
        { day: 'friday', opens: '19:00', closes: '02:00' },
        { day: 'saturday', opens: '12:00', closes: '24:00' },
      ],
      exceptions: [{ date: '2026-12-25', name: 'Christmas', spans: [] }],
    },
  });
export type OpeningHours = z.infer<typeof OpeningHours>;
