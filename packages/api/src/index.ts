export { type AppSettings, createApp, type RunningApp } from './app.ts';
export { type RunningServer, startServer } from './http/server.ts';
export { type Operation, operationsOf, type Route } from './request/operations.ts';
export { type AppRouter, appRouter } from './router.ts';
