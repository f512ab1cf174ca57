-- What each settlement is made of (decision 0072): a payment that was completed, its correction, a refund.
CREATE TYPE settlement_entry_kind AS ENUM ('payment', 'correction', 'refund');

CREATE TABLE settlement_entries (
  location_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT uuid_v7(),
  -- NULL until the next turn opens.
  turn_id uuid,
  order_id uuid NOT NULL,
  payment_id uuid NOT NULL,
  kind settlement_entry_kind NOT NULL,
  amount numeric(12,2) NOT NULL,
  reason text COLLATE "C",
  person text COLLATE "C",
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  created_by uuid DEFAULT current_api_key_id(),
  request_id text COLLATE "C" DEFAULT current_request_id(),
  CONSTRAINT settlement_entries_pkey PRIMARY KEY (location_id, id),
  CONSTRAINT settlement_entries_amount_check CHECK (
    CASE kind WHEN 'payment' THEN amount >= 0 WHEN 'correction' THEN amount <= 0 ELSE amount < 0 END),
  CONSTRAINT settlement_entries_reason_check CHECK (char_length(reason) BETWEEN 1 AND 500),
  CONSTRAINT settlement_entries_person_check CHECK (char_length(person) BETWEEN 1 AND 255),
  CONSTRAINT settlement_entries_created_at_check CHECK (is_wire_time(created_at)),
  CONSTRAINT settlement_entries_location_id_turn_id_fkey FOREIGN KEY (location_id, turn_id)
    REFERENCES turns (location_id, id) ON UPDATE CASCADE,
  CONSTRAINT settlement_entries_location_id_order_id_fkey FOREIGN KEY (location_id, order_id)
    REFERENCES orders (location_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  CONSTRAINT settlement_entries_location_id_payment_id_fkey FOREIGN KEY (location_id, payment_id)
    REFERENCES payments (location_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
COMMENT ON TABLE settlement_entries IS 'What each settlement is made of; append-only. The turn of an entry is the one that collects it.';
CREATE INDEX settlement_entries_location_id_turn_id_id_idx ON settlement_entries (location_id, turn_id, id);
CREATE INDEX settlement_entries_location_id_payment_id_id_idx ON settlement_entries (location_id, payment_id, id);
CREATE INDEX settlement_entries_taken_off_idx ON settlement_entries (location_id, turn_id) WHERE kind <> 'payment';
CREATE INDEX settlement_entries_waiting_idx ON settlement_entries (location_id) WHERE turn_id IS NULL;
CREATE INDEX settlement_entries_location_id_order_id_idx ON settlement_entries (location_id, order_id);
