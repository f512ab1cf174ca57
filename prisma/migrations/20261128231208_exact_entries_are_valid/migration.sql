-- By itself: it reads the table under a lock that lets rows be written.
ALTER TABLE settlement_entries VALIDATE CONSTRAINT settlement_entries_kind_check;
