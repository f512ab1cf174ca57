import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  bindMigrationAwareSqlAdapterFactory,
  type ColumnType,
  ColumnTypeEnum,
  DriverAdapterError,
  type ErrorRegistry,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
  type SqlQuery,
  type SqlResultSet,
} from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

/**
 * The SQL that would turn the live database into what the Prisma schema says; '' when they agree.
 * Sees tables, columns, types, keys and plain indexes of the schema `public`; not checks, triggers,
 * functions, partial or expression indexes. Only reads the database.
 */
export async function schemaDifference(databaseUrl: string, schema: string): Promise<string> {
  startEngine();
  const files = [{ path: 'schema.prisma', content: schema }];
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const factory = bindMigrationAwareSqlAdapterFactory(adapterFactory(client));
  try {
    const engine = await bindings.SchemaEngine.new({ datamodels: undefined }, () => {}, factory);
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: '.' },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: true,
      filters: { externalTables: [], externalEnums: [] },
    });
    engine.free();
    return exitCode === 0 ? '' : (stdout ?? '');
  } catch (error) {
    throw explain(error, factory.errorRegistry);
  } finally {
    await client.end();
  }
}

// The package imports its .wasm as an ES module, which Node 20 cannot: instantiated by hand, once.
function startEngine(): void {
  if (started) return;
  started = true;
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: panic });
  const file = createRequire(import.meta.url)
    .resolve('@prisma/schema-engine-wasm/schema_engine_bg')
    .replace(/\.js$/, '.wasm');
  const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
  const { exports } = new Instance(new Module(readFileSync(file)), {
    './schema_engine_bg.js': { ...bindings },
  });
  const { __wbg_set_wasm: setWasm } = bindings as unknown as { __wbg_set_wasm(exports: object): void };
  setWasm(exports);
  (exports as { __wbindgen_start(): void }).__wbindgen_start();
}

// The types of Node 20 leave it out.
interface WebAssemblyApi {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: object };
}

let started = false;
const panic = {
  message: '',
  set_message(message: string) {
    this.message = message;
  },
};

// The engine says no more than "External error id#0"; the registry holds what the driver threw.
function explain(error: unknown, registry: ErrorRegistry): Error {
  const text = error instanceof Error ? error.message : String(error);
  const id = /External error id#(\d+)/.exec(text)?.[1];
  const cause = id === undefined ? error : registry.consumeError(Number(id))?.error;
  return new Error(`schema engine: ${panic.message || (cause instanceof Error ? cause.message : text)}`, {
    cause,
  });
}

function adapterFactory(client: pg.Client): SqlMigrationAwareDriverAdapterFactory {
  return {
    provider: 'postgres',
    adapterName: 'comanda-read-only',
    connect: async () => adapter(client),
    connectToShadowDb: () => Promise.reject(new Error('no shadow database: migrate a database of its own')),
  };
}

function adapter(client: pg.Client): SqlDriverAdapter {
  return {
    provider: 'postgres',
    adapterName: 'comanda-read-only',
    queryRaw: (query) => read(client, query),
    executeRaw: async (query) => (await read(client, query)).rows.length,
    executeScript: async (script) => {
      await client.query(script);
    },
    startTransaction: () => Promise.reject(new Error('a comparison needs no transaction')),
    getConnectionInfo: () => ({ schemaName: 'public', supportsRelationJoins: true }),
    // The code that opened the connection closes it: the engine forgets to.
    dispose: async () => {},
  };
}

async function read(client: pg.Client, { sql, args }: SqlQuery): Promise<SqlResultSet> {
  const { fields, rows } = await client.query<unknown[]>({ text: sql, values: args, rowMode: 'array' });
  return {
    columnNames: fields.map(({ name }) => name),
    columnTypes: fields.map(({ name, dataTypeID }) => {
      const type = columnTypes.get(dataTypeID);
      if (type === undefined)
        throw new DriverAdapterError({ kind: 'UnsupportedNativeDataType', type: `${name}: ${dataTypeID}` });
      return type;
    }),
    rows,
  };
}

// By pg_type.oid, what catalog queries return. "char" is missing from the stock adapter.
const columnTypes = new Map<number, ColumnType>([
  [16, ColumnTypeEnum.Boolean],
  [18, ColumnTypeEnum.Character],
  [19, ColumnTypeEnum.Text],
  [20, ColumnTypeEnum.Int64],
  [21, ColumnTypeEnum.Int32],
  [23, ColumnTypeEnum.Int32],
  [25, ColumnTypeEnum.Text],
  [26, ColumnTypeEnum.Int64],
  [1002, ColumnTypeEnum.CharacterArray],
  [1009, ColumnTypeEnum.TextArray],
  [1043, ColumnTypeEnum.Text],
]);
