/**
 * The path of the first member that an object of a JSON text has twice, as `items[0].quantity`; undefined where there is
 * none. RFC 8259 leaves open which of the two holds; RFC 7493 forbids them. The text must be JSON.
 */
export function duplicateName(json: string): string | undefined {
  const open: Container[] = [];
  let name = '';
  for (let at = 0; at < json.length; at++) {
    const inside = open.at(-1);
    const character = json[at];
    if (character === '{') open.push({ names: new Set(), isNext: true, at: placeIn(inside, name) });
    else if (character === '[') open.push({ entries: 0, at: placeIn(inside, name) });
    else if (character === '}' || character === ']') open.pop();
    else if (character === ',' && inside !== undefined) {
      if ('entries' in inside) inside.entries += 1;
      else inside.isNext = true;
    } else if (character === '"') {
      const end = endOfText(json, at);
      if (inside !== undefined && 'names' in inside && inside.isNext) {
        name = JSON.parse(json.slice(at, end)) as string;
        if (inside.names.has(name)) return placeIn(inside, name);
        inside.names.add(name);
        inside.isNext = false;
      }
      at = end - 1;
    }
  }
  return undefined;
}

/** An object with the names so far, and whether a name comes next; or a list with the entries so far. */
type Container = { at: string } & ({ names: Set<string>; isNext: boolean } | { entries: number });

function placeIn(container: Container | undefined, name: string): string {
  if (container === undefined) return '';
  if ('entries' in container) return `${container.at}[${container.entries}]`;
  return container.at === '' ? name : `${container.at}.${name}`;
}

/** Where the text that opens at `open` with a quote ends, behind its closing quote. The whole must be JSON. */
function endOfText(json: string, open: number): number {
  for (let close = json.indexOf('"', open + 1); close >= 0; close = json.indexOf('"', close + 1)) {
    let from = close;
    while (json[from - 1] === '\\') from--;
    if ((close - from) % 2 === 0) return close + 1;
  }
  return json.length;
}
