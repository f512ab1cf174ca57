-- What programs change is kept in the audit (decision 0096): what a statement changed, and whose job it was.
ALTER TABLE audit_entries ADD COLUMN resource_ids uuid[];
ALTER TABLE sync_jobs ADD COLUMN api_key_id uuid;
