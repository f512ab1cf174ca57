import type { Prisma } from '../generated/prisma/client.ts';
import { auditEntries } from './audit.ts';
import { categories } from './categories.ts';
import { certificationCalls, certifications } from './certifications.ts';
import { tallies, tallyNotes, workTotals } from './counts.ts';
import { deletedRecords } from './deleted.ts';
import { capturedChanges, events } from './events.ts';
import { apiKeys, appCodes, idempotencyKeys, limitCounters } from './keys.ts';
import { locationCounters, locationMoves, locations, movedLocations, timeZones } from './locations.ts';
import { catalogVersions, menuCategories, menus } from './menus.ts';
import { orderItems, orderMoves, orders, paymentMethods, payments } from './orders.ts';
import { priceChanges } from './price-changes.ts';
import { declarations, processHeartbeats, sqlObjects, sqlReleases } from './processes.ts';
import { productCategories, productStock, products, subselectionItems, subselections } from './products.ts';
import { syncJobs } from './sync-jobs.ts';
import type { Table } from './table.ts';
import { settlementEntries, settlements, turns } from './turns.ts';
import {
  endpointClearings,
  endpointHealth,
  webhookAttempts,
  webhookDeliveries,
  webhookEndpoints,
  webhookSecrets,
} from './webhooks.ts';

/** The row of each model of schema.prisma. Parents come before their children: an import fills the tables in this order. */
const byModel = {
  TimeZone: timeZones,
  Location: locations,
  ApiKey: apiKeys,
  LimitCounter: limitCounters,
  AppCode: appCodes,
  DeletedRecord: deletedRecords,
  PaymentMethod: paymentMethods,
  Turn: turns,
  Settlement: settlements,
  Category: categories,
  Menu: menus,
  MenuCategory: menuCategories,
  Product: products,
  ProductCategory: productCategories,
  ProductStock: productStock,
  Subselection: subselections,
  SubselectionItem: subselectionItems,
  Order: orders,
  OrderItem: orderItems,
  Payment: payments,
  SettlementEntry: settlementEntries,
  OrderMove: orderMoves,
  SyncJob: syncJobs,
  PriceChange: priceChanges,
  WebhookEndpoint: webhookEndpoints,
  WebhookSecret: webhookSecrets,
  EndpointHealth: endpointHealth,
  Event: events,
  WebhookDelivery: webhookDeliveries,
  WebhookAttempt: webhookAttempts,
  EndpointClearing: endpointClearings,
  Certification: certifications,
  CertificationCall: certificationCalls,
  IdempotencyKey: idempotencyKeys,
  AuditEntry: auditEntries,
  LocationCounter: locationCounters,
  CatalogVersion: catalogVersions,
  Tally: tallies,
  TallyNote: tallyNotes,
  CapturedChange: capturedChanges,
  LocationMove: locationMoves,
  MovedLocation: movedLocations,
  ProcessHeartbeat: processHeartbeats,
  WorkTotal: workTotals,
  Declaration: declarations,
  SqlObject: sqlObjects,
  SqlRelease: sqlReleases,
} as const satisfies Readonly<Record<Prisma.ModelName, Table>>;

/** Every table of the service, parents before their children. */
export const tables: readonly Table[] = Object.values(byModel);

/** The row of a table. Throws {Error} when there is none of that name. */
export function tableNamed(name: string): Table {
  const found = tables.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no table ${name}`);
  return found;
}
