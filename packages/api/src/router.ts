import { router } from './call/operation.ts';
import { appCodesRouter } from './resources/app-codes/router.ts';
import { auditRouter } from './resources/audit/router.ts';
import { catalogRouter } from './resources/catalog/router.ts';
import { categoriesRouter } from './resources/categories/router.ts';
import { certificationsRouter } from './resources/certifications/router.ts';
import { deliveriesRouter } from './resources/deliveries/router.ts';
import { eventsRouter } from './resources/events/router.ts';
import { keysRouter } from './resources/keys/router.ts';
import { limitsRouter } from './resources/limits/router.ts';
import { locationsRouter } from './resources/locations/router.ts';
import { menusRouter } from './resources/menus/router.ts';
import { ordersRouter, ordersV1Router } from './resources/orders/router.ts';
import { paymentMethodsRouter } from './resources/payment-methods/router.ts';
import { paymentsRouter, paymentsV1Router } from './resources/payments/router.ts';
import { priceChangesRouter } from './resources/price-changes/router.ts';
import { productsRouter, productsV1Router } from './resources/products/router.ts';
import { salesReportsRouter } from './resources/sales-reports/router.ts';
import { sandboxRouter } from './resources/sandbox/router.ts';
import { settlementsRouter } from './resources/settlements/router.ts';
import { stockRouter } from './resources/stock/router.ts';
import { subselectionItemsRouter, subselectionsRouter } from './resources/subselections/router.ts';
import { syncJobsRouter } from './resources/sync-jobs/router.ts';
import { turnsRouter } from './resources/turns/router.ts';
import { webhookEndpointsRouter, webhookEndpointsV1Router } from './resources/webhook-endpoints/router.ts';

/** Every operation. `/trpc` serves it, the REST paths and the documents are derived from it, the client is typed by it. */
export const appRouter = router({
  appCodes: appCodesRouter,
  audit: auditRouter,
  catalog: catalogRouter,
  categories: categoriesRouter,
  certifications: certificationsRouter,
  deliveries: deliveriesRouter,
  events: eventsRouter,
  keys: keysRouter,
  limits: limitsRouter,
  locations: locationsRouter,
  menus: menusRouter,
  orders: ordersRouter,
  paymentMethods: paymentMethodsRouter,
  payments: paymentsRouter,
  priceChanges: priceChangesRouter,
  products: productsRouter,
  salesReports: salesReportsRouter,
  sandbox: sandboxRouter,
  settlements: settlementsRouter,
  stock: stockRouter,
  subselectionItems: subselectionItemsRouter,
  subselections: subselectionsRouter,
  syncJobs: syncJobsRouter,
  turns: turnsRouter,
  webhookEndpoints: webhookEndpointsRouter,
  v1: router({
    orders: ordersV1Router,
    payments: paymentsV1Router,
    products: productsV1Router,
    webhookEndpoints: webhookEndpointsV1Router,
  }),
});

/** The type that the typed client is made of. */
export type AppRouter = typeof appRouter;
