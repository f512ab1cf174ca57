import pg from 'pg';
import { quoteName, runOnce } from '../support/server.ts';
import type { PlanNode } from './judge.ts';

/** A statement that was run, with its plan; one in a function or a trigger is a statement of its own. */
export interface RunStatement {
  /** The application name of its connection. */
  application: string;
  /** The SQL. */
  text: string;
  plan: PlanNode;
}

const settings = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_verbose': 'on',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
};

/**
 * Makes the server send to every later connection of the database, of any client, the plan of each statement that it
 * ran. Needs a superuser and lib/auto_explain.
 */
export async function explainDatabase(url: string): Promise<void> {
  const name = quoteName(decodeURIComponent(new URL(url).pathname.slice(1)));
  const commands = Object.entries(settings).map(
    ([setting, value]) => `alter database ${name} set ${setting} = '${value}'`,
  );
  await runOnce(url, commands.join(';'));
}

/** Calls `heard` with each statement that a client which connects from now on has run. */
export function listenToPlans(heard: (run: RunStatement) => void) {
  const names = new Map<string, string>();
  const { connect, query } = pg.Client.prototype;
  pg.Client.prototype.connect = function (this: pg.Client, ...args: unknown[]) {
    // Not part of its type.
    const { application_name: application = '' } = (
      this as unknown as { connectionParameters: { application_name?: string } }
    ).connectionParameters;
    this.on('notice', ({ message = '' }) => {
      const [, json] = /^duration: [\d.]+ ms {2}plan:\n(.*)$/s.exec(message) ?? [];
      if (json === undefined) return;
      const { 'Query Text': text, Plan: plan } = JSON.parse(json) as { 'Query Text': string; Plan: PlanNode };
      heard({ application, text, plan });
    });
    return Reflect.apply(connect, this, args);
  } as typeof connect;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [config] = args;
    if (typeof config === 'object' && config !== null && 'name' in config && 'text' in config)
      names.set(String(config.text), String(config.name));
    return Reflect.apply(query, this, args);
  } as typeof query;
  return {
    nameOf: (text: string) => names.get(text),
    stop: () => Object.assign(pg.Client.prototype, { connect, query }),
  };
}
