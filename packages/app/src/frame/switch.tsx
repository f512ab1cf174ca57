import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useTexts } from './language.tsx';
import { screens } from './screens.ts';
import type { Session } from './session.ts';
import { frameTexts } from './texts.ts';

interface Props {
  session: Session;
  onStay(): void;
  onSwitch(): void;
}

/** Asks before a link replaces the session of the tab. The code of a declined link stays unused. */
export function AskBeforeSwitch({ session, onStay, onSwitch }: Props) {
  const texts = useTexts(frameTexts);
  const { name, location } = session;
  const opened = session.screens.map((screen) => texts[screens[screen].title]).join(', ');
  return (
    <AlertDialog.Root open onOpenChange={(open) => open || onStay()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          <AlertDialog.Title>{texts.sureToSwitch}</AlertDialog.Title>
          <AlertDialog.Description>{texts.switchMeans(name, location.name, opened)}</AlertDialog.Description>
          <footer>
            <AlertDialog.Close>{texts.goOnAs(name)}</AlertDialog.Close>
            <button type="button" className="primary" onClick={onSwitch}>
              {texts.useLink}
            </button>
          </footer>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
