import { type Family, prunedText, schemaIn } from '../../families.ts';
import { type EventType, events } from './types.schema.ts';

/** The JSON text of `data` as one family has it. */
export const dataIn = (type: EventType, family: Family, text: string): string =>
  prunedText(schemaIn(events[type].data, family), text);
