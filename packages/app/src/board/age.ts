import { useLanguage } from '../frame/language.tsx';
import { useNow } from '../frame/now.tsx';

/** How long an order waits. */
export interface Age {
  text: string;
  /** How urgent it is, 0 to 3: by its age, and 3 once its promised time has passed. */
  urgency: 0 | 1 | 2 | 3;
  /** Whether its promised time has passed. */
  isLate: boolean;
}

/** Minutes from which an order is more urgent. */
const thresholds = [5, 10, 15] as const;

const units = [
  ['day', 48 * 60, 24 * 60],
  ['hour', 100, 60],
  ['minute', 0, 1],
] as const;

/** Says how old an order is, and again while the screen is shown. A clock that is behind makes nothing younger than new. */
export function useAge(): (order: { created_at: string; promised_at?: string | undefined }) => Age {
  const { language } = useLanguage();
  const now = useNow();
  return ({ created_at, promised_at }) => {
    const minutes = Math.max(0, Math.floor((now - Date.parse(created_at)) / 60_000));
    const [unit, , size] = units.find(([, from]) => minutes >= from) ?? units[2];
    const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' });
    const isLate = promised_at !== undefined && now > Date.parse(promised_at);
    const byAge = thresholds.filter((from) => minutes >= from).length as Age['urgency'];
    // A promise for later makes an old order no more urgent.
    const urgency = promised_at === undefined ? byAge : isLate ? 3 : 0;
    return { text: format.format(Math.floor(minutes / size)), urgency, isLate };
  };
}
