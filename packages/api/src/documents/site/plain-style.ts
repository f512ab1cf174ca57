/** The style of the plain pages: one column on a phone, the list of pages next to the text elsewhere. */
export const plainStyle = `:root { color-scheme: light dark; }
body { margin: 0; font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
header { padding: 12px 24px; border-bottom: 1px solid #8886; }
header a { margin-right: 20px; }
header a:first-child { font-weight: 600; }
main, nav { padding: 8px 24px; min-width: 0; overflow-wrap: anywhere; }
nav { border-top: 1px solid #8886; font-size: 14px; }
nav h2 { margin: 16px 0 0; font-size: 14px; }
nav ul { margin: 4px 0; padding-left: 16px; }
a { color: light-dark(#0b4f9e, #8ec5ff); }
h1, h2, h3 { line-height: 1.25; }
pre { overflow-x: auto; padding: 12px 16px; border-radius: 6px; background: #8881; font-size: 14px; }
code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 0.9em; }
.table { overflow-x: auto; margin: 16px 0; }
table { border-collapse: collapse; overflow-wrap: normal; }
th, td { padding: 6px 12px; border: 1px solid #8886; text-align: left; vertical-align: top; }
@media (min-width: 960px) {
  body { display: grid; grid-template: auto 1fr / 280px minmax(0, 860px); }
  header { grid-column: 1 / 3; }
  main { grid-column: 2; grid-row: 2; }
  nav { grid-column: 1; grid-row: 2; border-top: 0; border-right: 1px solid #8886; }
}
`;
