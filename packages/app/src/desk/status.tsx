import type { ReactNode } from 'react';
import { Badge, type Tone } from '../frame/badge.tsx';
import { useTexts } from '../frame/language.tsx';
import { deskTexts } from './texts.ts';

/** A status of an order, payment, turn, delivery, endpoint or job. */
export type StatusName = keyof typeof deskTexts.en.statuses;

const tones: Readonly<Record<StatusName, Tone>> = {
  pending: 'wait',
  ready: 'info',
  closed: 'quiet',
  canceled: 'bad',
  completed: 'good',
  rejected: 'bad',
  open: 'good',
  delivered: 'good',
  failed: 'bad',
  dead: 'bad',
  dropped: 'quiet',
  active: 'good',
  disabled: 'quiet',
  queued: 'wait',
  processing: 'info',
};

/** The badge of a status, in the tone of its meaning; `children` are further words of the badge. */
export function Status({ of, children }: { of: StatusName; children?: ReactNode }) {
  const texts = useTexts(deskTexts);
  return (
    <Badge tone={tones[of]} className={of}>
      {texts.statuses[of]}
      {children}
    </Badge>
  );
}
