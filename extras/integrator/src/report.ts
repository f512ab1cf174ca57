/** A certification, as far as it is printed. */
export interface Certification {
  id: string;
  status: string;
  verdict?: string;
  waiting_for?: { check: string; action: string; text: string; until: string };
  checks: {
    check: string;
    title: string;
    status: string;
    reason?: string;
    done: string[];
    seen: { at: string; text: string; request_id?: string }[];
    read: string;
  }[];
  created_at: string;
  completed_at?: string;
}

const marks: Readonly<Record<string, string>> = {
  passed: 'passed',
  failed: 'FAILED',
  not_applicable: 'does not apply',
  waiting: 'not played',
  not_played: 'not played',
  running: 'not ended',
};

/** The report as lines of Markdown, to be printed. Names of products and the like are text in it, and no Markdown. */
export function reportOf({
  id,
  status,
  verdict = '',
  checks,
  created_at,
  completed_at = '',
}: Certification): readonly string[] {
  const lines = [
    `# Certification ${text(id)}`,
    '',
    `**${text(status)}**: ${text(verdict)}`,
    '',
    `From ${text(created_at)} to ${text(completed_at)}.`,
  ];
  for (const check of checks) {
    lines.push('', `## ${text(check.title)}: ${marks[check.status] ?? text(check.status)}`, '');
    if (check.reason !== undefined) lines.push(text(check.reason), '');
    for (const done of check.done) lines.push(`- Done: ${text(done)}`);
    for (const { at, text: seen, request_id: request } of check.seen)
      lines.push(
        `- Seen at ${text(at)}: ${text(seen)}${request === undefined ? '' : ` (request ${text(request)})`}`,
      );
    if (check.status !== 'not_applicable') lines.push(`- Read: ${text(check.read)}`);
  }
  return lines;
}

/**
 * A text that Markdown shows as it is: no mark in it does anything. An underscore between letters (`catalog_pulled`) does nothing by itself,
 * and stays legible.
 */
const text = (given: string): string =>
  given
    .trimStart()
    .replace(/[\\`*[\]<>|~]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)|^[#+=-]/g, '\\$&')
    .replace(/^\d+(?=[.)])/, '$&\\');
