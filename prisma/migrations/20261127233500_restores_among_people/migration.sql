-- Restores are few, and are found among the entries of people: every entry of a program had to look at this index, too.
DROP INDEX CONCURRENTLY IF EXISTS audit_entries_restored_idx;
