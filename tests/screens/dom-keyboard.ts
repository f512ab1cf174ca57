import type { HTMLElement, HTMLInputElement, HTMLSelectElement, Window } from 'happy-dom';

/** The presses of a person in a window: of the mouse on an element, and of keys where the focus is. */
export class DomHands {
  readonly #window: Window;
  #isControlDown = false;

  constructor(window: Window) {
    this.#window = window;
  }

  /** Presses an element with a mouse. */
  click(element: HTMLElement): void {
    const { PointerEvent, MouseEvent } = this.#window;
    const how = { bubbles: true, cancelable: true, composed: true, button: 0, detail: 1 };
    element.dispatchEvent(new PointerEvent('pointerdown', how));
    const isTaken = !element.dispatchEvent(new MouseEvent('mousedown', how));
    if (!isTaken) this.#focusAround(element);
    element.dispatchEvent(new PointerEvent('pointerup', how));
    element.dispatchEvent(new MouseEvent('mouseup', how));
    element.dispatchEvent(new MouseEvent('click', how));
  }

  /** Chooses a value of a list. */
  choose(list: HTMLSelectElement, value: string): void {
    list.value = value;
    for (const type of ['input', 'change'])
      list.dispatchEvent(new this.#window.Event(type, { bubbles: true }));
  }

  /** Types where the focus is. A date is typed as in the United States: month, day and year. */
  type(text: string): void {
    const field = this.#field();
    if (field?.type === 'date') {
      const [, month, day, year] = /^(\d\d)(\d\d)(\d{4})$/.exec(text) ?? [];
      this.#set(field, `${year}-${month}-${day}`);
      return;
    }
    // Its value is put there whole, in the form of the property.
    if (field?.type === 'datetime-local') {
      this.#set(field, text);
      return;
    }
    for (const key of text) {
      if (!this.#dispatch('keydown', key)) continue;
      if (field !== undefined) this.#put(field, key);
      this.#dispatch('keyup', key);
    }
  }

  down(key: string): void {
    if (key === 'Control') this.#isControlDown = true;
  }

  up(key: string): void {
    if (key === 'Control') this.#isControlDown = false;
  }

  /** Presses one key, and does what a browser does then. */
  press(key: string): void {
    const field = this.#field();
    const target = this.#target();
    if (this.#isControlDown && key === 'a') {
      field?.select();
      return;
    }
    if (this.#dispatch('keydown', key)) {
      if (key === 'Backspace' && field !== undefined) this.#put(field, '');
      if (key === 'Enter') this.#enter(target, field);
      if (key === ' ' && target.tagName === 'BUTTON') target.click();
    }
    this.#dispatch('keyup', key);
  }

  #enter(target: HTMLElement, field: HTMLInputElement | undefined): void {
    if (target.tagName === 'BUTTON' || target.tagName === 'A') target.click();
    const form = field?.form;
    if (!form) return;
    const button = [...form.querySelectorAll('button')].find(({ type }) => type === 'submit');
    // The default button, where it is disabled, keeps the form from being sent.
    if (button === undefined) form.requestSubmit();
    else button.click();
  }

  #target(): HTMLElement {
    const { document } = this.#window;
    return (document.activeElement ?? document.body) as HTMLElement;
  }

  #field(): HTMLInputElement | undefined {
    const target = this.#target();
    return target.tagName === 'INPUT' ? (target as HTMLInputElement) : undefined;
  }

  #dispatch(type: string, key: string): boolean {
    const { KeyboardEvent } = this.#window;
    const event = new KeyboardEvent(type, { key, bubbles: true, cancelable: true, composed: true });
    return this.#target().dispatchEvent(event);
  }

  /** Puts text in place of what is selected; in place of the last character, where nothing is. */
  #put(field: HTMLInputElement, text: string): void {
    const { value } = field;
    const end = field.selectionEnd ?? value.length;
    const start = field.selectionStart ?? end;
    const from = text === '' && start === end ? Math.max(0, start - 1) : start;
    this.#set(field, value.slice(0, from) + text + value.slice(end));
    field.setSelectionRange(from + text.length, from + text.length);
  }

  // React replaces the property of the element, to know of changes: that of the class is the browser's own.
  #set(field: HTMLInputElement, value: string): void {
    let at: object | null = Object.getPrototypeOf(field) as object;
    while (at !== null && !Object.hasOwn(at, 'value')) at = Object.getPrototypeOf(at) as object | null;
    Object.getOwnPropertyDescriptor(at, 'value')?.set?.call(field, value);
    field.dispatchEvent(new this.#window.InputEvent('input', { bubbles: true, data: value }));
  }

  #focusAround(element: HTMLElement): void {
    const around = element.closest('button, a[href], input, select, textarea, [tabindex]');
    if (around !== null && !around.matches(':disabled')) (around as HTMLElement).focus();
  }
}
