export { type AppSettings, createApp, type RunningApp } from './app.ts';
export { type Operation, operationsOf, type Route } from './operations.ts';
export { type AppRouter, appRouter } from './router.ts';
export { type RunningServer, startServer } from './server.ts';
