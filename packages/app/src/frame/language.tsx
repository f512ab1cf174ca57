import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';

/** The languages of the app, by the name that each calls itself. */
export const languages = { en: 'English', es: 'Español' } as const;

/** A language of the app. */
export type Language = keyof typeof languages;

/** The texts of a part in every language: `const texts = { en, es }`, where `es: typeof en`, so that none is missing. */
export type Texts<Table> = Readonly<Record<Language, Table>>;

interface Chosen {
  language: Language;
  choose(language: Language): void;
}

const Context = createContext<Chosen>({ language: 'en', choose: () => {} });

const keptAs = 'comanda.language';

/** Keeps the language: the one that was chosen, or what the browser prefers. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(preferred);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choose = (chosen: Language) => {
    localStorage.setItem(keptAs, chosen);
    setLanguage(chosen);
  };
  return <Context value={{ language, choose }}>{children}</Context>;
}

/** The language that holds, and how to choose another. */
export const useLanguage = (): Chosen => useContext(Context);

/** The texts of a part in the language that holds. */
export function useTexts<Table>(texts: Texts<Table>): Table {
  return texts[useLanguage().language];
}

function preferred(): Language {
  const wanted = [localStorage.getItem(keptAs) ?? '', ...navigator.languages];
  return wanted.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en';
}

const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text);
