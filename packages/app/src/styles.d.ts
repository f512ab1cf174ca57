/** Styles are imported for esbuild to collect. */
declare module '*.css';
