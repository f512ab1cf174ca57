import type { Node, Window } from 'happy-dom';

/** Elements that begin and end a line. */
const blocks = new Set(
  `ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CAPTION DD DETAILS DIALOG DIV DL DT FIELDSET FOOTER FORM H1 H2 H3 H4 HEADER LEGEND LI MAIN NAV OL
   OPTION P SEARCH SECTION SUMMARY TABLE TBODY TFOOT THEAD TR UL`.split(/\s+/),
);
const unread = new Set(['SCRIPT', 'STYLE', 'TEMPLATE']);

/**
 * Gives the elements of a window the `innerText` of a browser, without its styles: blocks are lines, cells are parted. That of happy-dom
 * asks for the style of every element.
 */
export function giveInnerText(window: Window): void {
  Object.defineProperty(window.HTMLElement.prototype, 'innerText', {
    configurable: true,
    get(this: Node) {
      return read(this)
        .replaceAll(/[ \t]*\n\s*/g, '\n')
        .replaceAll(/ +/g, ' ')
        .trim();
    },
  });
}

function read(node: Node): string {
  if (node.nodeType === node.TEXT_NODE) return (node.textContent ?? '').replaceAll(/\s+/g, ' ');
  if (unread.has(node.nodeName)) return '';
  if (node.nodeName === 'BR') return '\n';
  const inner = [...node.childNodes].map(read).join('');
  if (blocks.has(node.nodeName)) return `\n${inner}\n`;
  return node.nodeName === 'TD' || node.nodeName === 'TH' ? `${inner}\t` : inner;
}
