-- Functions that the guards of made/ call; a deed bypasses them (declaring.sql). The rules that guards enforce are in
-- packages/db/src/tables, each with the sentence that the service and a person who edits by psql or Studio see. A
-- refused statement leaves no change behind.
--
--   CM008  refused by a guard; the message says what to do instead, the detail is the id of the row

-- A row deleted by cascade is deleted at a depth of more than one trigger; no other write of a person reaches that
-- depth.
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF TG_ARGV[0] = 'kept' AND pg_trigger_depth() > 1 OR deed_passes(TG_RELID, TG_ARGV[0]) THEN
    RETURN coalesce(NEW, OLD);
  END IF;
  RAISE EXCEPTION '%', TG_ARGV[1] USING ERRCODE = 'CM008', HINT = deed_hint(TG_ARGV[0]),
    DETAIL = coalesce(to_jsonb(OLD)->>'id', to_jsonb(OLD)->>'location_id', TG_TABLE_NAME);
END $$;

-- How a member of the owner passes a guard with the rule; empty for others, and where no deed passes.
CREATE FUNCTION deed_hint(rule text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN EXISTS (SELECT FROM deeds() d WHERE d.name = 'repair' AND rule = ANY (d.passes)) AND pg_has_role(owner_role(), 'USAGE')
    THEN 'In its transaction, select deed(''repair: why'') passes this.' ELSE '' END
$$;

-- A text of blanks by hand: it shows as nothing. The arguments are the columns that may be meant.
CREATE FUNCTION refuse_blank() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
DECLARE
  given jsonb := to_jsonb(NEW);
BEGIN
  IF service_session() OR pg_trigger_depth() > 1 THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '% of % must have characters that are seen, not only blanks',
    (SELECT string_agg(c, ', ') FROM unnest(TG_ARGV) c WHERE given->>c !~ '[^\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]'), TG_TABLE_NAME
    USING ERRCODE = 'check_violation', DETAIL = coalesce(given->>'id', given->>'location_id');
END $$;

-- A new identifier with a blank at an end, by hand: no file and no list shows the blank. One that is there stays.
CREATE FUNCTION refuse_blank_ends() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
DECLARE
  given jsonb := to_jsonb(NEW);
BEGIN
  IF service_session() OR pg_trigger_depth() > 1 THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '% of % must not begin or end with a blank',
    (SELECT string_agg(c, ', ') FROM unnest(TG_ARGV) c
     WHERE given->>c ~ '^[\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]|[\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]$'),
    TG_TABLE_NAME
    USING ERRCODE = 'check_violation', DETAIL = coalesce(given->>'id', given->>'location_id');
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
      PERFORM record_hand_edit(NULL, lower(TG_OP), TG_TABLE_NAME, NULL, NULL, false, NULL, NULL);
    END IF;
    RETURN NULL;
  END IF;
  RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'CM008', DETAIL = TG_TABLE_NAME;
END $$;

-- Conditions of guards. One is asked only when a column of the guard is named and differs, or a row is deleted.

CREATE FUNCTION has_orders(location uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM orders o WHERE o.location_id = location)
$$;

-- Amounts are kept without a currency: they are of that of their location. A payment has an order.
CREATE FUNCTION has_amounts(location uuid) RETURNS boolean LANGUAGE sql STABLE
SET search_path = public, internal, pg_temp AS $$
  SELECT EXISTS (SELECT FROM orders o WHERE o.location_id = location) OR EXISTS (SELECT FROM settlements s WHERE s.location_id = location)
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
