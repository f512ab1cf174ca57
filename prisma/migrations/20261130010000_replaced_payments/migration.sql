-- An order that was not paid by one method gets another payment: the rejected one stays, replaced. Of an order all payments but one are
-- replaced, and those are rejected. The rows that are there are read by the next migration, which lets rows be written.
ALTER TABLE payments ADD COLUMN replaced integer NOT NULL DEFAULT 0,
  ADD CONSTRAINT payments_replaced_check CHECK (replaced = 0 OR replaced > 0 AND status = 'rejected') NOT VALID;
