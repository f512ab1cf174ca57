import { useQuery } from '@tanstack/react-query';
import { useLanguage } from '../frame/language.tsx';

/** How long an order waits: `late` names how urgent it is, 0 to 3. */
export interface Age {
  text: string;
  late: 0 | 1 | 2 | 3;
}

/** Minutes from which an order is more urgent. */
const thresholds = [5, 10, 15] as const;

const tickMs = 10_000;
const units = [
  ['day', 48 * 60, 24 * 60],
  ['hour', 100, 60],
  ['minute', 0, 1],
] as const;

/** Says how old a moment is, and again while the screen is shown. A clock that is behind makes nothing younger than new. */
export function useAge(): (moment: string) => Age {
  const { language } = useLanguage();
  const { data: now } = useQuery({
    queryKey: ['now'],
    queryFn: () => Date.now(),
    initialData: Date.now,
    refetchInterval: tickMs,
    // Orders grow old without a connection, too.
    networkMode: 'always',
  });
  return (moment) => {
    const minutes = Math.max(0, Math.floor((now - Date.parse(moment)) / 60_000));
    const [unit, , size] = units.find(([, from]) => minutes >= from) ?? units[2];
    const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' });
    const late = thresholds.filter((from) => minutes >= from).length as Age['late'];
    return { text: format.format(Math.floor(minutes / size)), late };
  };
}
