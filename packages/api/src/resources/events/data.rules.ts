import { type Family, prunedText, prunerOf, schemaIn } from '../../families.ts';
import { type EventType, events } from './types.schema.ts';

/** Whether `data` of an event type differs between the families, so that each has a body of its own. */
export const differsByFamily = (type: EventType): boolean =>
  (['v1', 'v2'] as const).some((family) => prunerOf(schemaIn(events[type].data, family)) !== undefined);

/** The JSON text of `data` as one family has it. */
export const dataIn = (type: EventType, family: Family, text: string): string =>
  prunedText(schemaIn(events[type].data, family), text);
