import { Component, type ReactNode } from 'react';
import { useTexts } from './language.tsx';
import { frameTexts } from './texts.ts';

/**
 * The message of a screen that failed: a word and a way on. A tab that was open while the service was upgraded finds no
 * screen of its own version any more; a reload fixes that.
 */
export class ScreenBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <Fallen /> : this.props.children;
  }
}

function Fallen() {
  const texts = useTexts(frameTexts);
  return (
    <div role="alert">
      <p className="fault">{texts.fallen}</p>
      <button type="button" onClick={() => location.reload()}>
        {texts.reload}
      </button>
    </div>
  );
}
