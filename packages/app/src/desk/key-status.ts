import { useTexts } from '../frame/language.tsx';
import { deskTexts } from './texts.ts';
import { useWhen } from './when.ts';

interface Ends {
  revoked_at?: string | undefined;
  expires_at?: string | undefined;
}

/** Says of a key whether it is in use, until when it is, or since when it is not. */
export function useKeyStatus(): (key: Ends) => string {
  const texts = useTexts(deskTexts);
  const when = useWhen();
  return ({ revoked_at, expires_at }) => {
    if (revoked_at !== undefined) return texts.revokedAt(when(revoked_at));
    if (expires_at === undefined) return texts.inUse;
    return (isOver({ expires_at }) ? texts.endedAt : texts.endsAt)(when(expires_at));
  };
}

/** Whether a key is refused, judged with the clock of this machine. */
export const isOver = ({ revoked_at, expires_at }: Ends): boolean =>
  revoked_at !== undefined || (expires_at !== undefined && Date.parse(expires_at) <= Date.now());
