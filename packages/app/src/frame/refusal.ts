import { comandaError, noAnswer } from '@comanda/client';
import { useTexts } from './language.tsx';
import { frameTexts } from './texts.ts';

/**
 * Makes a sentence for a person of any error that a call threw: in their language where the reason is known, else the
 * service's own.
 */
export function useRefusal(): (error: unknown) => string {
  const { reasons, noAnswer: none, failed } = useTexts(frameTexts);
  return (error) => {
    const refused = comandaError(error);
    if (refused !== undefined) return (reasons as Record<string, string>)[refused.reason] ?? refused.message;
    const why = noAnswer(error);
    return why === undefined ? failed : none[why];
  };
}
