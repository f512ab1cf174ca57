import type { Row } from './result.ts';

const width = 960;
const rowHeight = 26;
const labelWidth = 430;
const top = 46;
/** The scale ends here: three times the goal. */
const most = 3;

/** Every figure against its goal as an SVG: a bar that passes the line meets it. */
export function chart(rows: readonly Row[], title: string): string {
  const height = top + rows.length * rowHeight + 24;
  const scale = (width - labelWidth - 90) / most;
  const goalAt = labelWidth + scale;
  const bars = rows.map((row, index) => bar(row, top + index * rowHeight, scale));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="12" y="22" font-size="14" font-weight="600" fill="#1f2933">${quoted(title)}</text>`,
    ...bars,
    `<line x1="${goalAt}" y1="${top - 8}" x2="${goalAt}" y2="${height - 18}" stroke="#1f2933" stroke-dasharray="3 3"/>`,
    `<text x="${goalAt}" y="${top - 12}" text-anchor="middle" fill="#1f2933">goal</text>`,
    '</svg>',
  ].join('\n');
}

function bar({ work, figure, met, ofGoal }: Row, y: number, scale: number): string {
  const length = Math.max(2, Math.min(most, ofGoal) * scale);
  const colour = met ? '#2f855a' : '#c05621';
  return [
    `<text x="${labelWidth - 10}" y="${y + 13}" text-anchor="end" fill="#1f2933">${quoted(shorten(work))}</text>`,
    `<rect x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="18" rx="2" fill="${colour}"/>`,
    `<text x="${(labelWidth + length + 6).toFixed(1)}" y="${y + 13}" fill="#1f2933">${quoted(figure)}</text>`,
  ].join('');
}

const shorten = (text: string) => (text.length > 66 ? `${text.slice(0, 65)}…` : text);
const quoted = (text: string) => text.replace(/[&<>"]/g, (char) => `&#${char.codePointAt(0)};`);
