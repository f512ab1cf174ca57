import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { exampleEvent } from '../../packages/api/src/documents/webhooks.ts';
import {
  envelopeOf,
  eventTypes,
  subscribableEventTypes,
} from '../../packages/api/src/resources/events/types.schema.ts';
import { eventsPage } from '../../scripts/docs/events-page.ts';
import { examplesOf, type RecordedStep, recordStory } from '../../scripts/docs/recorder.ts';
import { story } from '../../scripts/docs/story.ts';
import { useTestDatabase } from '../support/database.ts';
import { strictly } from '../support/documented.ts';

const database = useTestDatabase();
let recorded: RecordedStep[];
beforeAll(async () => {
  recorded = await recordStory(database.url);
});

describe('the story of docs/events.md, played again', () => {
  test.each(story.map(({ title, emits }) => ({ title, emits })))('$title', ({ title, emits }) => {
    const sent = recorded.find(({ step }) => step.title === title)?.events ?? [];
    expect(sent.map(({ type }) => type).sort()).toEqual([...emits].sort());
    for (const event of sent)
      expect(strictly(envelopeOf(event.type)).safeParse(event).error, event.type).toBeUndefined();
  });

  test.each(eventTypes)('%s fires from its trigger and has an example', (type) => {
    expect(story.filter(({ shows }) => shows.includes(type))).toHaveLength(1);
    expect(examplesOf(recorded)[type]).toMatchObject({ type, api_version: 'v2' });
  });

  test('docs/events.md is what npm run docs makes', () => {
    const committed = readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8');
    expect(committed).toBe(eventsPage(recorded));
    for (const type of subscribableEventTypes) expect(committed).toContain(`### ${type}\n`);
  });

  test('the v2 document shows the same bodies', () => {
    const shown = Object.fromEntries(eventTypes.map((type) => [type, exampleEvent(type)]));
    expect(shown).toEqual(examplesOf(recorded));
  });
});
