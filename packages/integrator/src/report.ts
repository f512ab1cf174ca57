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
  running: 'not ended',
};

/** The report as Markdown, to be printed. */
export function reportOf({
  id,
  status,
  verdict = '',
  checks,
  created_at,
  completed_at = '',
}: Certification): string {
  const lines = [
    `# Certification ${id}`,
    '',
    `**${status}**: ${verdict}`,
    '',
    `From ${created_at} to ${completed_at}.`,
  ];
  for (const check of checks) {
    lines.push('', `## ${check.title}: ${marks[check.status] ?? check.status}`, '');
    if (check.reason !== undefined) lines.push(check.reason, '');
    for (const done of check.done) lines.push(`- Done: ${done}`);
    for (const { at, text, request_id: request } of check.seen)
      lines.push(`- Seen at ${at}: ${text}${request === undefined ? '' : ` (request ${request})`}`);
    if (check.status !== 'not_applicable') lines.push(`- Read: ${check.read}`);
  }
  return lines.join('\n');
}
