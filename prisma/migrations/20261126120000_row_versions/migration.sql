-- From which the entity tag of a row is made (docs/contract.md, Preconditions). A constant default: no table is written anew.
ALTER TABLE locations ADD COLUMN revision bigint NOT NULL DEFAULT 1;
ALTER TABLE categories ADD COLUMN revision bigint NOT NULL DEFAULT 1;
ALTER TABLE products ADD COLUMN revision bigint NOT NULL DEFAULT 1;
ALTER TABLE menus ADD COLUMN revision bigint NOT NULL DEFAULT 1;
ALTER TABLE orders ADD COLUMN revision bigint NOT NULL DEFAULT 1;
ALTER TABLE webhook_endpoints ADD COLUMN revision bigint NOT NULL DEFAULT 1;
