-- What the guards of made/ call, and the deeds that pass them. What nobody may break is in packages/db/src/tables, with the
-- sentence that a person who edits by psql or Studio meets as well as the service. What a guard refuses leaves nothing behind.
--
--   CM008  refused by a guard; the message says what to do instead, the detail is the id of the row

-- The ways past, and what each passes; `order` is what an order written by hand must leave to itself (hand_orders.sql),
-- `lines` are new ones, `moments` are when rows changed, which come with a location from another database (changes.sql),
-- `standing lines` those that are changed or deleted.
-- Constraints and capture hold with every one of them. Said by a member of the role that owns the table, in its
-- transaction: set local comanda.deed = 'import: orders of 2019'.
CREATE FUNCTION deeds() RETURNS TABLE (name text, passes text[]) LANGUAGE sql IMMUTABLE AS $$
  VALUES
  ('migration', '{never,kept,service,lines,standing lines,order}'::text[]),
  ('import',    '{service,lines,order}'),
  ('transfer',  '{service,lines,order,moments}'),
  ('repair',    '{never,kept,service,lines,standing lines,order}'),
  ('erase',     '{never,kept,service,standing lines}'),
  ('retention', '{kept,service}'),
  ('purge',     '{kept,service}')
$$;

-- Whether the service itself asks: whoever may write events. Who may empty their table, too, owns it, and is known by
-- the name of the session: those of the API, the worker and the commands begin with "comanda". The owner may do everything.
-- Whoever undoes a hand edit is a hand.
CREATE FUNCTION by_service() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT has_table_privilege(session_user, 'public.events'::regclass, 'INSERT')
    AND (starts_with(current_setting('application_name'), 'comanda')
      OR NOT has_table_privilege(session_user, 'public.events'::regclass, 'TRUNCATE'))
    AND coalesce(current_setting('comanda.undoing', true), '') = ''
$$;

-- Whether the transaction has said a deed that passes the rule. Runs as its caller: `who` must own the table or be a
-- member of the role that does.
--
-- A deed holds for one transaction. Nothing tells SET LOCAL from a SET of the session while both last; so a deed that is
-- looked at is taken from the session, and said anew for what is left of the transaction. One that comes with the role,
-- the database or the connection comes back when it is taken, and passes nothing.
CREATE FUNCTION deed_passes(relation oid, rule text, who name DEFAULT current_user) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  said text := coalesce(current_setting('comanda.deed', true), '');
  deed record;
BEGIN
  IF said = '' THEN
    RETURN false;
  ELSIF set_config('comanda.deed', NULL, false) <> '' THEN
    RAISE EXCEPTION 'a deed is said within its transaction: set local comanda.deed = ''…''; that of a role, a database or a connection passes nothing'
      USING ERRCODE = 'CM008', DETAIL = said;
  END IF;
  PERFORM set_config('comanda.deed', said, true);
  SELECT * INTO deed FROM deeds() d WHERE said ~ ('^' || d.name || ': *\S');
  IF NOT FOUND THEN
    RAISE EXCEPTION 'comanda.deed must be one of % with a reason, such as ''import: orders of 2019''',
      (SELECT string_agg(d.name, ', ') FROM deeds() d) USING ERRCODE = 'CM008', DETAIL = said;
  END IF;
  RETURN rule = ANY (deed.passes)
    AND pg_has_role(who, (SELECT c.relowner FROM pg_class c WHERE c.oid = relation), 'MEMBER');
END $$;

-- A row that goes by cascade goes at a depth of more than one trigger, and nothing else that a person writes does.
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF TG_ARGV[0] = 'kept' AND pg_trigger_depth() > 1 OR deed_passes(TG_RELID, TG_ARGV[0]) THEN
    RETURN coalesce(NEW, OLD);
  END IF;
  RAISE EXCEPTION '%', TG_ARGV[1] USING ERRCODE = 'CM008',
    DETAIL = coalesce(to_jsonb(OLD)->>'id', to_jsonb(OLD)->>'location_id', TG_TABLE_NAME);
END $$;

-- In a function, not in the trigger's condition, which is parsed for every statement.
CREATE FUNCTION refuse_by_hand() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF pg_trigger_depth() > 1 THEN
    RETURN NULL;
  ELSIF by_service() THEN
    RETURN NULL;
  ELSIF TG_OP <> 'TRUNCATE' AND deed_passes(TG_RELID, 'service') THEN
    IF audited_key(TG_TABLE_NAME) IS NULL THEN
      PERFORM note_hand_edit(NULL, lower(TG_OP), TG_TABLE_NAME, NULL, NULL, false);
    END IF;
    RETURN NULL;
  END IF;
  RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'CM008', DETAIL = TG_TABLE_NAME;
END $$;

-- Conditions of guards. One is asked only when a column of the guard is named and differs, or a row is deleted.

CREATE FUNCTION has_orders(location uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM orders o WHERE o.location_id = location)
$$;

-- Whether the location is on its way to another cell, or went there: it is not enabled here again, and not deleted before the end.
CREATE FUNCTION held_by_move(location uuid, status location_status) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
  SELECT EXISTS (SELECT FROM internal.location_moves m WHERE m.id = location AND m.step <> 'abort'
    AND (status = 'active' OR status = 'deleting' AND m.step <> 'done'))
$$;

CREATE FUNCTION payment_method_used(location uuid, method uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM payments p WHERE p.location_id = location AND p.payment_method_id = method)
$$;

CREATE FUNCTION turn_settled(location uuid, turn uuid) RETURNS boolean LANGUAGE sql STABLE
SET search_path = public, internal, pg_temp AS $$
  SELECT EXISTS (SELECT FROM settlements s WHERE s.location_id = location AND s.turn_id = turn)
$$;

CREATE FUNCTION last_valid_secret(location uuid, endpoint uuid, secret uuid) RETURNS boolean LANGUAGE sql STABLE
SET search_path = public, internal, pg_temp AS $$
  SELECT NOT EXISTS (SELECT FROM internal.webhook_secrets s WHERE s.location_id = location AND s.endpoint_id = endpoint
    AND s.id <> secret AND (s.expires_at IS NULL OR s.expires_at > now()))
$$;
