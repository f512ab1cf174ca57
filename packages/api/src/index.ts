export { type AppSettings, createApp, type RunningApp } from './app.ts';
export { type Operation, operationsOf, type Route } from './call/operations.ts';
export { type RunningServer, startServer } from './http/server.ts';
export { type AppRouter, appRouter } from './router.ts';
