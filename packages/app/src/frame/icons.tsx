/** The lines of each icon, in a square of 24. */
const lines = {
  board: 'M4 5h4v14H4zM10 5h4v9h-4zM16 5h4v6h-4z',
  day: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
  desk: 'M4 5h16v14H4zM4 10h16M10 10v9',
  menu: 'M4 7h16M4 12h16M4 17h16',
  find: 'M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM20 20l-4.5-4.5',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  filter: 'M4 6h16M7 12h10M10 18h4',
} as const;

/** An icon that repeats words beside it: screen readers skip it. */
export function Icon({ name }: { name: keyof typeof lines }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={lines[name]} />
    </svg>
  );
}

/** The mark of the product: a ticket of the kitchen, with a line that is done. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M9 7h14v18l-3.5-2-3.5 2-3.5-2L9 25zM13 13l2 2 4-4M13 19h6" />
    </svg>
  );
}
