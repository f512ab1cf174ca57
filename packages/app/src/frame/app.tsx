import { CSPProvider } from '@base-ui/react/csp-provider';
import {
  MutationCache,
  onlineManager,
  QueryCache,
  QueryClient,
  QueryClientProvider,
} from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { ComandaContext, type Signed } from './comanda.tsx';
import { LanguageProvider } from './language.tsx';
import { NoticeProvider } from './notices.tsx';
import { Clock } from './now.tsx';
import { clientOf, hasEnded, keepSession, keptSession, type Session, signOut, takeCode } from './session.ts';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';
import { AskBeforeSwitch } from './switch.tsx';

// Before anything is drawn: the code leaves the address at once.
const codeAtStart = takeCode();

/** The app: a person who is not signed in signs in, any other gets the screens. */
export function App() {
  return (
    <LanguageProvider>
      <CSPProvider disableStyleElements>
        <NoticeProvider>
          <Door />
        </NoticeProvider>
      </CSPProvider>
    </LanguageProvider>
  );
}

function Door() {
  const [code, setCode] = useState(codeAtStart);
  const [session, setSession] = useState(keptSession);
  const [isOver, setOver] = useState(false);
  // A link may come from anybody: it replaces no session before the person at the screen has said so.
  const [isSure, setSure] = useState(false);
  // The part that is shown once the session in this tab has its answers.
  const [next, setNext] = useState<{ step(): void }>();
  // A link that is pasted over the address of an open tab changes its end alone, and loads nothing.
  useEffect(() => {
    const look = () => {
      setCode(takeCode());
      setSure(false);
    };
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  const keep = (changed: Session) => {
    keepSession(changed);
    setSession(changed);
  };
  const enter = (entered: Session | undefined, over = false) => {
    // The key of a session that ended by itself has ended, too.
    if (session !== undefined && !over && session.key !== entered?.key) signOut(session);
    keepSession(entered);
    setSession(entered);
    // A code that waits for an answer replaces no session any more where the session ended by itself.
    if (!over) setCode(undefined);
    setSure(false);
    setOver(over);
    setNext(undefined);
  };
  const onLeft = useCallback(() => {
    setNext(undefined);
    next?.step();
  }, [next]);
  if (session === undefined || (code !== undefined && isSure))
    return <SignIn key={code} code={code} isOver={isOver} onSignedIn={enter} />;
  return (
    <>
      <SignedIn
        key={session.key}
        session={session}
        onChanged={keep}
        onLeft={next && onLeft}
        onOut={() => setNext({ step: () => enter(undefined) })}
        onOver={() => {
          // A late answer to a session that was signed out ends none that came after it.
          if (keptSession()?.key === session.key) enter(undefined, true);
        }}
      />
      {code !== undefined && next === undefined && (
        <AskBeforeSwitch
          session={session}
          onStay={() => setCode(undefined)}
          onSwitch={() => setNext({ step: () => setSure(true) })}
        />
      )}
    </>
  );
}

interface SignedInProps {
  session: Session;
  onChanged(session: Session): void;
  /** Called once the session has its answers; given while a person leaves it. */
  onLeft: (() => void) | undefined;
  onOut(): void;
  onOver(): void;
}

function SignedIn({ session, onChanged, onLeft, onOut, onOver }: SignedInProps) {
  const [comanda] = useState(() => clientOf(session));
  const signed = {
    session,
    comanda,
    relocate: (place: Parameters<Signed['relocate']>[0]) =>
      onChanged({ ...session, location: { ...session.location, ...place } }),
  };
  const [queries] = useState(() => {
    // The manager hears of the connection only while a session is shown: what changed since the last session is set here.
    onlineManager.setOnline(navigator.onLine);
    const onError = (error: unknown) => {
      if (hasEnded(error)) onOver();
    };
    return new QueryClient({
      defaultOptions: {
        // The client repeats what can be repeated. A screen that was not shown followed no events: it reads again.
        queries: { retry: false, staleTime: 5_000, refetchOnMount: 'always' },
        mutations: { retry: false },
      },
      queryCache: new QueryCache({ onError }),
      mutationCache: new MutationCache({ onError }),
    });
  });
  return (
    <ComandaContext value={signed}>
      <QueryClientProvider client={queries}>
        <Clock>
          <Shell {...{ onLeft, onOut }} />
        </Clock>
      </QueryClientProvider>
    </ComandaContext>
  );
}
