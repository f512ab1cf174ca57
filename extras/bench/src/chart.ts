import { isMet, ofGoal, type Row, shown } from './figure.ts';

const width = 960;
const rowHeight = 26;
const labelWidth = 430;
const top = 46;
/** The scale ends here: three times the goal. */
const most = 3;

/** Every figure that has a goal against it as an SVG: a bar that passes the line meets it. */
export function chart(all: readonly Row[], title: string): string {
  const rows = all.filter(({ goal }) => goal !== undefined);
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

function bar(row: Row, y: number, scale: number): string {
  const { work, value, unit } = row;
  const length = Math.max(2, Math.min(most, ofGoal(row) ?? 0) * scale);
  const color = isMet(row) ? '#2f855a' : '#c05621';
  return [
    `<text x="${labelWidth - 10}" y="${y + 13}" text-anchor="end" fill="#1f2933">${quoted(shorten(work))}</text>`,
    `<rect x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="18" rx="2" fill="${color}"/>`,
    `<text x="${(labelWidth + length + 6).toFixed(1)}" y="${y + 13}" fill="#1f2933">${quoted(shown(value, unit))}</text>`,
  ].join('');
}

const shorten = (text: string) => (text.length > 66 ? `${text.slice(0, 65)}…` : text);
const quoted = (text: string) => text.replace(/[&<>"]/g, (char) => `&#${char.codePointAt(0)};`);
