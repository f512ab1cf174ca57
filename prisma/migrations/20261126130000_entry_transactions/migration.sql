-- When the transaction of an entry began, as its audit entry has it: by that the timeline finds the name of a hand. Earlier entries have none.
ALTER TABLE settlement_entries ADD COLUMN transaction_at timestamptz(3);
ALTER TABLE settlement_entries ALTER COLUMN transaction_at SET DEFAULT now();
