import { z } from 'zod';
import { exampleEvent } from '../../packages/api/src/documents/webhooks.ts';
import { events, eventTypes } from '../../packages/api/src/resources/events/types.schema.ts';

/** A section for every event type: its trigger, the permission that shows it, and a body. */
export function eventSections(): string {
  return eventTypes
    .flatMap((type) => {
      const { category, permission, trigger, data } = events[type];
      const schema = z.globalRegistry.get(data)?.id;
      return [
        `### ${type}`,
        `${category}. Sent when ${trigger}. \`data\`: \`${schema}\`. A key needs \`${permission}\`.`,
        `\`\`\`json\n${JSON.stringify(exampleEvent(type), null, 2)}\n\`\`\``,
      ];
    })
    .join('\n\n');
}
