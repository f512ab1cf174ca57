import type { AppPage } from '../../../../tests/browser/app-page.ts';

/** The effort of a case: presses of the mouse, fields that were typed into, presses of Enter, and lines for a shell. */
export interface Effort {
  clicks: number;
  fields: number;
  enters: number;
  lines: number;
}

/** A button, link or field of the screen, by its name. */
interface Named {
  /** Texts of the row of a list in which it is, where there are several. */
  row?: string | readonly string[];
  /** It is named after a row of data, so that no recipe can name it. */
  isData?: true;
}

// A question lies over everything else; what is hidden or disabled cannot be pressed.
const found = (selector: string, row: string | readonly string[] = []) =>
  `[...(document.querySelector('.dialog') ?? document.body).querySelectorAll(${JSON.stringify(selector)})]
    .filter((each) => !each.disabled && each.checkVisibility()
      && ${JSON.stringify([row].flat())}.every((text) => each.closest('tr')?.innerText.includes(text)))`;

const nameOf = `((each) => (each.getAttribute('aria-label') ?? each.textContent).trim())`;
const labelOf = `((label) => [...label.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data).join('').trim())`;
const namesOf = `((each) => [...[...(each.labels ?? [])].map(${labelOf}), each.placeholder ?? ''])`;

/** The hand of an admin at the desk: it presses what has a name, counts, and keeps the names for the recipe to have. */
export class DeskHand implements Effort {
  clicks = 0;
  fields = 0;
  enters = 0;
  lines = 0;
  readonly names = new Set<string>();
  readonly page: AppPage;

  constructor(page: AppPage) {
    this.page = page;
  }

  /** Presses the button of that name; the first whose name begins so, where none has it exactly. */
  press(name: string, { row, isData }: Named = {}): Promise<void> {
    this.#keep(name, isData);
    return this.#click(firstOf(found('button', row), nameOf, name));
  }

  /** Presses the button of a question, and waits until the question is gone. */
  async answer(name: string): Promise<void> {
    await this.page.waitForSelector('.dialog');
    await this.press(name);
    await this.page.until(`document.querySelector('.dialog') === null`);
  }

  /** Follows the link of that name. */
  follow(name: string, { row, isData }: Named = {}): Promise<void> {
    this.#keep(name, isData);
    return this.#click(firstOf(found('a', row), nameOf, name));
  }

  /** Unfolds the part of the page of that title. */
  unfold(title: string): Promise<void> {
    this.#keep(title);
    return this.#click(firstOf(found('summary'), nameOf, title));
  }

  /** Opens the row of a list: the link of its data. */
  open(name: string): Promise<void> {
    return this.#click(firstOf(found('.desk tbody a'), nameOf, name));
  }

  /** Sets or clears the box of that label. */
  tick(label: string, { isData }: Named = {}): Promise<void> {
    this.#keep(label, isData);
    return this.#click(
      `${found('input[type=checkbox]')}.find((each) => ${namesOf}(each).includes(${JSON.stringify(label)}))`,
    );
  }

  /** Types into the field of that label or placeholder, in place of what it holds. */
  async type(label: string, text: string): Promise<void> {
    this.#keep(label);
    this.fields++;
    const field = `${found('input:not([type=checkbox])')}.find((each) => ${namesOf}(each).includes(${JSON.stringify(label)}))`;
    await this.page.until(`${field} !== undefined`);
    await this.page.evaluate(`{ const field = ${field}; field.focus(); field.select(); }`);
    await this.page.keyboard.type(text);
  }

  /** Types a day, 2026-11-22, as the browser's field takes it in this language. */
  day(label: string, day: string): Promise<void> {
    const [year = '', month = '', date = ''] = day.split('-');
    return this.type(label, `${month}${date}${year}`);
  }

  /** Types a moment: the day as above, and the time as `0900PM`. */
  async moment(label: string, day: string, time: string): Promise<void> {
    await this.day(label, day);
    // The year may have more digits than four.
    await this.page.keyboard.press('Tab');
    await this.page.keyboard.type(time);
  }

  /** Chooses one of several in the field of that label. */
  async choose(label: string, option: string, { isData }: Named = {}): Promise<void> {
    this.#keep(label);
    this.#keep(option, isData);
    this.clicks += 2;
    const field = `${found('select')}.find((each) => ${namesOf}(each).includes(${JSON.stringify(label)}))`;
    const value = `[...(${field}?.options ?? [])].find(({ text }) => text === ${JSON.stringify(option)})?.value`;
    await this.page.until(`${value} !== undefined`);
    const id = await this.page.evaluate<string>(
      `{ const field = ${field}; field.id ||= 'chosen' + document.querySelectorAll('[id^=chosen]').length; field.id }`,
    );
    await this.page.select(`#${id}`, await this.page.evaluate<string>(value));
  }

  /** Presses Enter where the typing ended. */
  async enter(): Promise<void> {
    this.enters++;
    await this.page.keyboard.press('Enter');
  }

  /** Counts what another hand did as its own. */
  add({ clicks, fields, enters, lines, names }: DeskHand): void {
    this.clicks += clicks;
    this.fields += fields;
    this.enters += enters;
    this.lines += lines;
    for (const name of names) this.names.add(name);
  }

  /** Waits until the text is on the screen. */
  sees(text: string): Promise<void> {
    return this.page.until(`document.body.innerText.includes(${JSON.stringify(text)})`);
  }

  async #click(element: string): Promise<void> {
    this.clicks++;
    await this.page.until(`${element} !== undefined`);
    await this.page.evaluate(`${element}.click()`);
  }

  #keep(name: string, isData?: true): void {
    if (isData === undefined) this.names.add(name);
  }
}

const firstOf = (elements: string, named: string, name: string): string =>
  `((all) => all.find((each) => ${named}(each) === ${JSON.stringify(name)})
    ?? all.find((each) => ${named}(each).startsWith(${JSON.stringify(name)})))(${elements})`;
