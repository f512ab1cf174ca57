/** Where the text that opens at `open` with a quote ends, behind its closing quote. The whole must be JSON. */
export function endOfText(json: string, open: number): number {
  for (let close = json.indexOf('"', open + 1); close >= 0; close = json.indexOf('"', close + 1)) {
    let from = close;
    while (json[from - 1] === '\\') from--;
    if ((close - from) % 2 === 0) return close + 1;
  }
  return json.length;
}
