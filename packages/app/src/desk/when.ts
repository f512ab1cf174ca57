import { useMemo } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useLanguage } from '../frame/language.tsx';

/** Shows a moment with its day, in the location's time zone. */
export function useWhen(): (moment: string) => string {
  const { language } = useLanguage();
  const { timezone: timeZone } = useComanda().session.location;
  return useMemo(() => {
    const format = new Intl.DateTimeFormat(language, { timeZone, dateStyle: 'medium', timeStyle: 'medium' });
    return (moment) => format.format(new Date(moment));
  }, [language, timeZone]);
}
