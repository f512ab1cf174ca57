-- By itself: it reads the table under a lock that lets rows be written.
ALTER TABLE payments VALIDATE CONSTRAINT payments_replaced_check;
