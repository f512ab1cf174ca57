import { type PageSession, tokenHeader } from './session.ts';

const keptAs = 'studio.token';
let token = sessionStorage.getItem(keptAs);
/** Tokens that admit no tab any more, which another tab may still have. */
const ended = new Set<string>();

const send = window.fetch;

/** Asks the server as this tab. A tab that is out is asked for an address, and stays as it is until it has one. */
export async function askServer(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const used = token;
  headers.set(tokenHeader, used ?? '');
  const response = await send(path, { ...init, method: 'POST', headers });
  if (response.status === 401 && token === used) {
    if (used !== null) ended.add(used);
    keep(null);
    showEntrance(await response.clone().text());
  }
  return response;
}

/** The server's description of this page, once the tab is in. */
export async function enteredSession(): Promise<PageSession> {
  await bring(codeOf(takeFromAddress()));
  for (;;) {
    const response = await askServer('/session');
    if (response.ok) return (await response.json()) as PageSession;
    if (response.status !== 401) throw new Error(await response.text());
    await isIn();
  }
}

// A tab that is in lets in others of this browser: a link opens one without a token. Only pages of this origin, with its
// port, hear it.
const tabs = new BroadcastChannel('studio');
tabs.onmessage = ({ data }: MessageEvent<{ token: string } | 'who is in?'>) => {
  if (data === 'who is in?') {
    if (token !== null) tabs.postMessage({ token });
  } else if (token === null && !ended.has(data.token)) keep(data.token);
};

// An address that is opened in a tab with this page changes the part after the # alone.
addEventListener('hashchange', () => void bring(codeOf(takeFromAddress())));

let onEntered: (() => void)[] = [];
const isIn = () =>
  new Promise<void>((resolve) => {
    if (token !== null) return resolve();
    onEntered.push(resolve);
    tabs.postMessage('who is in?');
  });

function keep(held: string | null): void {
  token = held;
  if (held === null) {
    sessionStorage.removeItem(keptAs);
    return;
  }
  sessionStorage.setItem(keptAs, held);
  document.querySelector('.entrance')?.remove();
  const entered = onEntered;
  onEntered = [];
  for (const go of entered) go();
}

/** Takes the code out of the address, so that neither the history nor a copy of the address has it. */
function takeFromAddress(): string {
  const { hash } = location;
  if (codeOf(hash) !== null) history.replaceState(null, '', hash.replace(/code=[\w-]+&?/, ''));
  return hash;
}

const codeOf = (text: string): string | null =>
  /(?:^|#code=)([\w-]{43})(?:&|$)/.exec(text.trim())?.[1] ?? null;

/** Exchanges a code for the token of this tab. */
async function bring(code: string | null): Promise<void> {
  if (code === null) return;
  const response = await fetch('/enter', { method: 'POST', body: JSON.stringify({ code }) });
  if (response.ok) keep(((await response.json()) as { token: string }).token);
  else showEntrance(await response.text());
}

/** Says why the tab is out, and takes an address. The page's content stays behind it. */
function showEntrance(why: string): void {
  document.querySelector('.entrance')?.remove();
  const form = document.createElement('form');
  form.className = 'entrance';
  const said = document.createElement('p');
  said.setAttribute('role', 'alert');
  said.textContent = `${why.trim()}.`;
  const label = document.createElement('label');
  label.textContent = 'Or paste it here: ';
  const field = document.createElement('input');
  field.autocomplete = 'off';
  const button = document.createElement('button');
  button.textContent = 'Come in';
  label.append(field);
  form.append(said, label, button);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const code = codeOf(field.value);
    if (code === null) said.textContent = 'This is no address of npm run studio: it has code= behind the #.';
    else void bring(code);
  });
  document.body.append(form);
  if (token === null) tabs.postMessage('who is in?');
}
