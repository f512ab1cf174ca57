-- Made by `npm run docs` from packages/api/src/resources/events/types.schema.ts and permissions.ts; do not edit.
-- Functions, not a table: they come with the version that knows the names.

CREATE FUNCTION event_names() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT '{
    order.created,
    order.updated,
    order.status_changed,
    order.cancelled,
    order.completed,
    payment.created,
    payment.updated,
    payment.completed,
    payment.rejected,
    product.created,
    product.updated,
    product.deleted,
    stock.updated,
    catalog.updated,
    sync.completed,
    sync.failed,
    settlement.created,
    location.updated,
    turn.open,
    turn.updated,
    turn.closed
  }'::text[]
$$;

CREATE FUNCTION permission_names() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT '{
    orders:read,
    orders:write,
    orders:pause,
    orders:export,
    customers:read,
    products:read,
    products:write,
    categories:read,
    categories:write,
    stock:read,
    stock:sync,
    catalog:read,
    catalog:sync,
    menus:read,
    payments:read,
    settlements:read,
    turns:read,
    reports:read,
    locations:read,
    events:read,
    sync:products,
    sync:read,
    webhooks:read,
    webhooks:write,
    sandbox:reset,
    certifications:read,
    certifications:write,
    payments:write,
    payment_methods:write,
    turns:write,
    menus:write,
    catalog:publish,
    locations:write,
    keys:read,
    keys:write,
    audit:read,
    audit:undo,
    deliveries:retry,
    jobs:retry
  }'::text[]
$$;
