// The language that a reader chooses in one group of tabs is shown in every other that has it, on every page.
import { inBrowser, onContentUpdated } from 'vitepress';

const keptAs = 'comanda-docs-language';

/** Shows the language that was chosen before, and keeps the one that is chosen. */
export function rememberTabs() {
  onContentUpdated(() => show(kept()));
  if (!inBrowser) return;
  window.addEventListener('change', ({ target }) => {
    // A change by show() itself is no choice of the reader.
    if (!target.matches('.vp-code-group .tabs input')) return;
    const name = document.querySelector(`label[for="${target.id}"]`)?.dataset.title;
    if (name === undefined || name === kept()) return;
    keep(name);
    show(name);
  });
}

function show(name) {
  for (const label of document.querySelectorAll('.vp-code-group .tabs label')) {
    if (label.dataset.title !== name) continue;
    const input = document.getElementById(label.htmlFor);
    if (!input.checked) input.click();
  }
}

// A browser may forbid storage: then the choice lasts for the page.
function kept() {
  try {
    return localStorage.getItem(keptAs) ?? undefined;
  } catch {
    return undefined;
  }
}

function keep(name) {
  try {
    localStorage.setItem(keptAs, name);
  } catch {}
}
