import { useMemo } from 'react';
import { useComanda } from './comanda.tsx';
import { useLanguage } from './language.tsx';

/** How amounts, moments and quantities of the location are shown. */
export interface Format {
  money(amount: number): string;
  /** `21:05` in the location's time zone. */
  time(moment: string | Date): string;
  /** The time, with the day where that is not today. */
  moment(moment: string | Date): string;
  /** The time in few words: `9:05 PM` today, `Jan 31, 9:05 PM` this year, `Jan 31, 2025` before. */
  short(moment: string | Date): string;
  /** The time to the second, with its day and year. */
  exact(moment: string | Date): string;
  /** `5 minutes ago`, or `in 5 minutes`, of a moment within an hour. */
  ago(moment: string, now: number): string;
  /** `31 January`, of a day as `2026-01-31`. */
  day(day: string): string;
  quantity(quantity: number): string;
  /** `2026-01-31`: the day of a moment there. */
  dayOf(moment: string | Date): string;
  /** `2026-01-31`: the day that it is there. */
  today(): string;
  /** 0 to 23: the hour of a moment there. */
  hour(moment: string | Date): number;
}

/** The format of the location in the language that holds. */
export function useFormat(): Format {
  const { language } = useLanguage();
  const { currency, timezone: timeZone } = useComanda().session.location;
  return useMemo(() => {
    // As the browser's own country writes it, where it speaks the language.
    const locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? language;
    const money = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      currencyDisplay: 'narrowSymbol',
    });
    const time = new Intl.DateTimeFormat(locale, { timeZone, hour: '2-digit', minute: '2-digit' });
    const day = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', day: 'numeric', month: 'long' });
    const iso = new Intl.DateTimeFormat('sv', { timeZone });
    const near = new Intl.DateTimeFormat(locale, {
      timeZone,
      month: 'short',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
    });
    const far = new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'medium' });
    const exact = new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'medium', timeStyle: 'medium' });
    const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
    const hour = new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' });
    const quantity = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
    const dayOf = (moment: string | Date) => iso.format(new Date(moment));
    const today = () => iso.format(new Date());
    const timeOf = (moment: string | Date) => time.format(new Date(moment));
    const shown = (text: string) => day.format(new Date(text));
    return {
      money: (amount) => money.format(amount),
      time: timeOf,
      moment: (moment) =>
        dayOf(moment) === today() ? timeOf(moment) : `${shown(dayOf(moment))}, ${timeOf(moment)}`,
      short(moment) {
        const [own, now] = [dayOf(moment), today()];
        if (own === now) return timeOf(moment);
        return (own.slice(0, 4) === now.slice(0, 4) ? near : far).format(new Date(moment));
      },
      exact: (moment) => exact.format(new Date(moment)),
      ago: (moment, now) => relative.format(Math.trunc((Date.parse(moment) - now) / 60_000), 'minute'),
      day: shown,
      quantity: (amount) => quantity.format(amount),
      dayOf,
      today,
      hour: (moment) => Number(hour.format(new Date(moment))),
    };
  }, [language, currency, timeZone]);
}
