-- Declarations of a transaction about itself: rows of internal.declarations, which hold for their transaction and are
-- removed with it, or with the savepoint that they were made in. Settings of a session only say that there may be a
-- row: they pass nothing.

-- The ways past guards, and what each passes; `order` is what an order written by hand must leave to itself (hand_orders.sql),
-- `lines` are new ones, `moments` are when rows changed, which come with a location from another database (changes.sql),
-- `standing lines` those that are changed or deleted, `moves` the tables of an order's and a payment's statuses (orders.sql, money.sql).
-- Constraints and capture hold with every one of them.
CREATE FUNCTION deeds() RETURNS TABLE (name text, passes text[]) LANGUAGE sql IMMUTABLE AS $$
  VALUES
  ('migration', '{never,kept,service,lines,standing lines,order}'::text[]),
  ('import',    '{service,lines,order}'),
  ('transfer',  '{kept,service,lines,standing lines,order,moments}'),
  ('repair',    '{never,kept,service,lines,standing lines,order,moves}'),
  ('erase',     '{never,kept,service,standing lines}'),
  ('retention', '{kept,service}'),
  ('purge',     '{kept,service}')
$$;

-- Whether the session is the service's: a role that may insert events. A role that may also TRUNCATE their table is its owner: a
-- session of the owner counts as the service only if its application_name begins with "comanda", as those of the API do.
CREATE FUNCTION service_session() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT has_table_privilege(session_user, 'public.events'::regclass, 'INSERT')
    AND (starts_with(current_setting('application_name'), 'comanda')
      OR NOT has_table_privilege(session_user, 'public.events'::regclass, 'TRUNCATE'))
$$;

-- Whether the service itself asks. While it undoes a manual edit it counts as one.
CREATE FUNCTION by_service() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT service_session() AND coalesce(current_setting('comanda.undoing', true), '') = ''
$$;

-- Whether the function under way captures and counts its own changes, so that the triggers of made/ need not. Only the service may.
CREATE FUNCTION captures_itself() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT current_setting('comanda.told', true) = 'true' AND by_service()
$$;

-- Only the service's own session may declare anything. The first migration made these for the defaults of its columns.
CREATE FUNCTION current_request_id() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN service_session() THEN nullif(split_part(current_setting('comanda.request_id', true), ' ', 1), '') END
$$;
CREATE FUNCTION current_traceparent() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN service_session() THEN nullif(split_part(current_setting('comanda.request_id', true), ' ', 2), '') END
$$;
-- A word of the same setting, for callers that know that the session is the service's: the id of the request, its trace, and the key for
-- which the catalog is changed. Null where it is not declared.
CREATE FUNCTION request_word(n int) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT nullif(split_part(current_setting('comanda.request_id', true), ' ', n), '')
$$;
CREATE FUNCTION current_api_key_id() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN service_session() THEN nullif(current_setting('comanda.api_key_id', true), '')::uuid END
$$;

-- Identifies the change under way: by its transaction, or by the call where several share one (joined writes). The first migration made
-- it, too, for the default of a column.
CREATE FUNCTION transaction_seed() RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN current_setting('comanda.seed', true) <> '' AND service_session() THEN current_setting('comanda.seed')::uuid
    ELSE md5(pg_current_xact_id()::text || ' ' || extract(epoch FROM pg_postmaster_start_time()))::uuid END
$$;

-- The role that owns the tables.
CREATE FUNCTION owner_role() RETURNS name LANGUAGE sql STABLE AS $$
  SELECT pg_get_userbyid(c.relowner) FROM pg_class c WHERE c.oid = 'public.orders'::regclass
$$;

-- Declares a deed for the transaction under way: begin; select deed('import: orders of 2019'); … The later of two holds.
CREATE FUNCTION deed(name_and_reason text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF NOT pg_has_role(owner_role(), 'USAGE') THEN
    RAISE EXCEPTION 'only a member of % declares a deed', owner_role() USING ERRCODE = 'CM008', DETAIL = current_user;
  ELSIF NOT EXISTS (SELECT FROM deeds() d WHERE name_and_reason ~ ('^' || d.name || ': *\S')) THEN
    RAISE EXCEPTION 'a deed is one of % with a reason: select deed(''import: orders of 2019'')',
      (SELECT string_agg(d.name, ', ') FROM deeds() d) USING ERRCODE = 'CM008', DETAIL = name_and_reason;
  END IF;
  PERFORM forget_declarations();
  INSERT INTO internal.declarations (deed) VALUES (name_and_reason);
  PERFORM set_config('comanda.deed', name_and_reason, true);
  RETURN name_and_reason;
END $$;

-- Takes back the deed that was declared last, for functions of the owner: what was declared before them holds again.
CREATE FUNCTION end_deed() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM internal.declarations d WHERE (d.transaction_id, d.id) = (
    SELECT o.transaction_id, o.id FROM own_declarations() o WHERE o.deed IS NOT NULL ORDER BY o.id DESC LIMIT 1);
  PERFORM set_config('comanda.deed', coalesce(declared_deed(), ''), true);
END $$;

-- The declarations of the transaction under way. Its start time distinguishes it from a transaction of the same number
-- in a cluster restored from a dump.
CREATE FUNCTION own_declarations() RETURNS SETOF internal.declarations LANGUAGE sql STABLE AS $$
  SELECT d.* FROM internal.declarations d
  WHERE d.transaction_id = pg_current_xact_id_if_assigned()::text::bigint AND d.started_at = now()
$$;

-- The deed that holds; null without one.
CREATE FUNCTION declared_deed() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  declared text;
BEGIN
  -- A session without declarations does not read their table.
  IF coalesce(current_setting('comanda.deed', true), '') = '' THEN
    RETURN NULL;
  END IF;
  SELECT o.deed INTO declared FROM own_declarations() o WHERE o.deed IS NOT NULL ORDER BY o.id DESC LIMIT 1;
  RETURN declared;
END $$;

-- Why a deed is done: what follows its name.
CREATE FUNCTION reason_of(deed text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT nullif(btrim(substr(deed, strpos(deed, ':') + 1)), '')
$$;

-- Removes the declarations of transactions that have ended. Above READ COMMITTED it may meet another one that
-- does.
CREATE FUNCTION forget_declarations() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_isolation') = 'read committed' THEN
    DELETE FROM internal.declarations d WHERE d.ctid = ANY (ARRAY(
      SELECT o.ctid FROM internal.declarations o
      WHERE o.transaction_id < pg_snapshot_xmin(pg_current_snapshot())::text::bigint FOR UPDATE SKIP LOCKED));
  END IF;
END $$;

-- Whether a deed that passes the rule is declared. Runs as its caller: `who` must own the table or be a member of the role that does.
CREATE FUNCTION deed_passes(relation oid, rule text, who name DEFAULT current_user) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  declared text;
BEGIN
  IF NOT pg_has_role(who, (SELECT c.relowner FROM pg_class c WHERE c.oid = relation), 'USAGE') THEN
    RETURN false;
  END IF;
  declared := declared_deed();
  RETURN EXISTS (SELECT FROM deeds() d WHERE starts_with(declared, d.name || ':') AND rule = ANY (d.passes));
END $$;

-- From here on the transaction undoes an entry of the audit, until end_undo(). For the service and the owner.
CREATE FUNCTION begin_undo(p_entry uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  PERFORM forget_declarations();
  INSERT INTO internal.declarations (undo_of) VALUES (p_entry);
  PERFORM set_config('comanda.undoing', 'true', true);
END $$;

CREATE FUNCTION end_undo() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  DELETE FROM internal.declarations d WHERE (d.transaction_id, d.id) IN (
    SELECT o.transaction_id, o.id FROM own_declarations() o WHERE o.undo_of IS NOT NULL);
  PERFORM set_config('comanda.undoing', '', true);
END $$;
