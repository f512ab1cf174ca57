-- The triggers of made/ call these functions to record the changes of a statement whose session is not the service's:
-- one audit entry a location, with its rows and their count. Of more than 100 it has the keys of all and a digest,
-- and the values of the first 100 that were inserted, of the first 10,000 that were updated or deleted. Changes made by the triggers of that
-- statement are not recorded.

-- The columns of a table whose values are not kept: what is erased must not live on here.
CREATE FUNCTION left_out_of_audit(p_relation oid, p_secret text[]) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN declared_deed() LIKE 'erase:%'
    THEN ARRAY(SELECT t.attname FROM pg_attribute t WHERE t.attrelid = c.oid AND t.attnum > 0) ELSE p_secret END
  FROM pg_class c WHERE c.oid = p_relation
$$;

-- A row as an entry keeps it: its key, and what differs. updated_at and revision follow from every change, search_text and the marks of
-- twins from other columns.
CREATE FUNCTION audit_row(key jsonb, before jsonb, after jsonb, hidden text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object('key', key,
    'before', CASE WHEN before IS NOT NULL THEN coalesce(jsonb_object_agg(k, before->k) FILTER (WHERE NOT k = ANY (hidden)), '{}') END,
    'after', CASE WHEN after IS NOT NULL THEN coalesce(jsonb_object_agg(k, after->k) FILTER (WHERE NOT k = ANY (hidden)), '{}') END)
    || CASE WHEN bool_or(k = ANY (hidden)) THEN jsonb_build_object('left_out', jsonb_agg(k) FILTER (WHERE k = ANY (hidden))) ELSE '{}' END
  FROM jsonb_object_keys(coalesce(before, after)) k
  WHERE k NOT IN ('updated_at', 'search_text', 'revision', 'external_id_twin', 'sku_twin') AND (before->k) IS DISTINCT FROM (after->k)
$$;

-- The summary of all rows in an entry of more than 100: the digest of the rows, without columns that are derived from
-- others, in the order of their keys.
CREATE FUNCTION audit_digest(rows text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT encode(sha256(convert_to(rows, 'UTF8')), 'hex')
$$;
CREATE FUNCTION audit_text(of_row jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT (of_row - '{updated_at,search_text,revision,external_id_twin,sku_twin}'::text[])::text
$$;

-- Writes the entry, for triggers alone. Rows deleted with their location have no entry. Rows that go with those of a
-- deletion come later, by the triggers of their own tables: the transaction declares its entry at the location.
CREATE FUNCTION record_hand_edit(p_location uuid, p_operation text, p_relation text, p_rows int, p_kept jsonb, p_by_cascade boolean,
  p_keys jsonb, p_digest text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  here uuid := (SELECT l.id FROM locations l WHERE l.id = p_location);
  entry uuid;
BEGIN
  IF pg_trigger_depth() = 0 THEN
    RAISE EXCEPTION 'the audit is written by triggers' USING ERRCODE = 'CM008';
  ELSIF p_by_cascade AND (here IS NULL OR p_operation <> 'delete') THEN
    RETURN;
  END IF;
  INSERT INTO audit_entries (location_id, actor_kind, actor_name, application_name, operation, relation, resource_id, row_count,
    changes, deed, caused_by, undo_of)
  SELECT here, 'database', session_user, current_setting('application_name'), p_operation, p_relation,
    CASE WHEN p_rows = jsonb_array_length(p_kept) AND min(r.id) = max(r.id) THEN min(r.id)::uuid END, p_rows,
    jsonb_build_object('rows', coalesce(p_kept, '[]'))
      || CASE WHEN p_rows > 100 THEN jsonb_build_object('keys', p_keys, 'digest', p_digest) ELSE '{}' END,
    declared_deed(), CASE WHEN p_by_cascade THEN (
      SELECT o.deletion FROM own_declarations() o WHERE o.deletion_location = p_location ORDER BY o.id DESC LIMIT 1) END,
    (SELECT o.undo_of FROM own_declarations() o WHERE o.undo_of IS NOT NULL ORDER BY o.id DESC LIMIT 1)
  FROM (SELECT coalesce(k->>'id', k->>'order_id', k->>'product_id', k->>'menu_id') AS id
    FROM jsonb_path_query(p_kept, '$[*].key') k) r
  RETURNING id INTO entry;
  IF p_operation = 'delete' AND NOT p_by_cascade AND p_location IS NOT NULL THEN
    PERFORM forget_declarations();
    INSERT INTO internal.declarations (deletion, deletion_location) VALUES (entry, p_location);
  END IF;
END $$;
