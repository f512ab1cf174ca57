-- What a transaction declares of itself: a deed, an undo, the moment that it announced, the audit's entry of a deletion (decision 0071).
CREATE TABLE internal.declarations (
  transaction_id bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
  id bigserial,
  started_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  deed text COLLATE "C",
  undo_of uuid,
  announced_at timestamptz(3),
  deletion uuid,
  deletion_location uuid,
  CONSTRAINT declarations_pkey PRIMARY KEY (transaction_id, id)
);
COMMENT ON TABLE internal.declarations IS 'What a transaction declares of itself; a row counts for its own transaction only.';

-- The last transaction of a session that was taken by the setting comanda.deed. Sequences keep it over a rollback.
CREATE SEQUENCE internal.deed_settings;

-- Why a deed moved an order.
ALTER TABLE internal.order_moves ADD COLUMN deed text COLLATE "C";
