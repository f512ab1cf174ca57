import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Mark } from './icons.tsx';
import { useTexts } from './language.tsx';
import { LanguageSwitch } from './language-switch.tsx';
import { useRefusal } from './refusal.ts';
import { codeIn, keptSession, redeem, type Session } from './session.ts';
import { frameTexts } from './texts.ts';

interface Props {
  /** Of the address, when it had one. */
  code: string | undefined;
  /** Whether a session ended by itself just now. */
  isOver: boolean;
  onSignedIn(session: Session): void;
}

/** Signs in with the code of the address, or asks for a link. */
export function SignIn({ code, isOver, onSignedIn }: Props) {
  const texts = useTexts(frameTexts);
  const say = useRefusal();
  const [fault, setFault] = useState(isOver ? texts.ended : '');
  const [isBusy, setBusy] = useState(code !== undefined);
  const asked = useRef(false);
  const kept = keptSession();

  const exchange = (given: string) => {
    setBusy(true);
    setFault('');
    redeem(given).then(onSignedIn, (error) => {
      setBusy(false);
      setFault(say(error));
    });
  };
  useEffect(() => {
    // A code is asked once, however often React runs this.
    if (code === undefined || asked.current) return;
    asked.current = true;
    exchange(code);
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = codeIn(String(new FormData(event.currentTarget).get('link')));
    if (given === undefined) setFault(texts.needsCode);
    else exchange(given);
  };

  return (
    <main className="sign-in">
      <LanguageSwitch />
      <h1>
        <Mark />
        {texts.title}
      </h1>
      <p id="how">{texts.howToSignIn}</p>
      <form onSubmit={submit}>
        <label htmlFor="link">{texts.linkOrCode}</label>
        <input id="link" name="link" aria-describedby="how fault" autoComplete="off" spellCheck={false} />
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? texts.signingIn : texts.signIn}
        </button>
      </form>
      <p id="fault" role="alert" className="fault">
        {fault}
      </p>
      {kept !== undefined && fault !== '' && (
        <button type="button" onClick={() => onSignedIn(kept)}>
          {texts.goOnAs(kept.name)}
        </button>
      )}
    </main>
  );
}
