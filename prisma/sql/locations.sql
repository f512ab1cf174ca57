-- Locations and their keys.

-- An unknown time zone would break every answer of the location. The foreign key alone would say so in no sentence; and a
-- name of the table may come from another server, with a dump.
CREATE FUNCTION guard_location_timezone() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM internal.time_zones z WHERE z.name = NEW.timezone) THEN
    RAISE EXCEPTION 'timezone must be an IANA time zone, such as America/Montevideo: "%" is none of those in time_zones', NEW.timezone
      USING ERRCODE = '22023';
  END IF;
  PERFORM now() AT TIME ZONE NEW.timezone;
  RETURN NEW;
END $$;
-- An empty one is refused by its column.
CREATE TRIGGER guard_timezone BEFORE INSERT OR UPDATE OF timezone ON locations
  FOR EACH ROW WHEN (NEW.timezone IS NOT NULL) EXECUTE FUNCTION guard_location_timezone();

-- The text of a key says whether what it does is real: that of a sandbox begins with cmd_test_, that of no other does.
CREATE FUNCTION guard_key_of_its_kind() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF starts_with(NEW.prefix, 'cmd_test_') <> (SELECT l.sandbox FROM locations l WHERE l.id = NEW.location_id) THEN
    RAISE EXCEPTION 'a sandbox has test keys alone, and no other location has one: make it by comanda keys create'
      USING ERRCODE = 'CM008', DETAIL = NEW.id::text;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard_kind BEFORE INSERT ON api_keys FOR EACH ROW EXECUTE FUNCTION guard_key_of_its_kind();

-- Every write path of the API calls this before it writes. A process that was frozen, or did not hear of it, does not
-- know that its location writes no more: it may be on its way to another cell, and what is written here then is lost.
-- The number of the transaction is taken before the look: so a process that waits for older transactions
-- (packages/db/src/connection/older-transactions.ts) waits for every call that found the location active. CM009: the detail is the
-- status, or `moved`.
CREATE FUNCTION refuse_unless_active(p_location uuid) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_number xid8 := pg_current_xact_id();
  v_status text := (SELECT l.status FROM locations l WHERE l.id = p_location);
BEGIN
  IF v_status = 'active' THEN
    RETURN true;
  END IF;
  RAISE EXCEPTION 'the location writes no more' USING ERRCODE = 'CM009',
    DETAIL = CASE WHEN EXISTS (SELECT FROM internal.moved_locations m WHERE m.location_id = p_location) THEN 'moved'
      ELSE coalesce(v_status, 'deleting') END;
END $$;

-- Whether the location takes no orders at the moment: a pause whose end has passed holds no more.
CREATE FUNCTION pause_holds(l locations) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT l.paused AND coalesce(l.paused_until > now(), true)
$$;

-- The revision that the tag of a location is made of. The end of a pause changes what is shown, and no row.
CREATE FUNCTION shown_revision(l locations) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT l.revision || CASE WHEN l.paused AND NOT pause_holds(l) THEN '-resumed' ELSE '' END
$$;

-- As JSON text without its closing brace, for what readers add.
CREATE FUNCTION location_members(l locations) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT concat('{"id":"', l.id, '","name":', to_json(l.name), ',"timezone":', to_json(l.timezone), ',"currency":', to_json(l.currency),
    ',"created_at":"', wire_time(l.created_at, l.timezone), '"', CASE WHEN l.sandbox THEN ',"sandbox":true' END,
    ',"paused":', pause_holds(l)::text,
    CASE WHEN pause_holds(l) THEN concat(',"paused_until":"' || wire_time(l.paused_until, l.timezone) || '"',
      ',"pause_reason":' || to_json(l.pause_reason)::text) END)
$$;

CREATE FUNCTION locations_json(location uuid, ids uuid[]) RETURNS TABLE (id uuid, doc text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT l.id, location_members(l) || '}' FROM locations l WHERE l.id = location AND l.id = ANY (ids)
$$;

-- Captures what `location.updated` is published of. The table has no location_id, which the triggers of made/ need.
CREATE FUNCTION capture_location() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  INSERT INTO internal.captured_changes (location_id, resource, operation, changed, resource_ids)
  VALUES (NEW.id, 'location', 'update', '{location}', ARRAY[NEW.id]);
  RETURN NULL;
END $$;
CREATE TRIGGER capture_shown AFTER UPDATE OF name, timezone, currency, paused, paused_until, pause_reason, opening_hours ON locations
  FOR EACH ROW WHEN (ROW(OLD.name, OLD.timezone, OLD.currency, OLD.paused, OLD.paused_until, OLD.pause_reason, OLD.opening_hours)
    IS DISTINCT FROM ROW(NEW.name, NEW.timezone, NEW.currency, NEW.paused, NEW.paused_until, NEW.pause_reason, NEW.opening_hours))
  EXECUTE FUNCTION capture_location();

-- Every process keeps keys in memory, with their location's name, zone and currency; a statement that changes one
-- notifies them all. They change rarely, so a notification inside the transaction costs nothing here.
CREATE FUNCTION announce_api_keys() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  NOTIFY comanda_api_keys;
  RETURN NULL;
END $$;
CREATE TRIGGER announce AFTER UPDATE OF key_hash, permissions, all_event_types, per_minute, monthly, batch_jobs_per_hour,
  max_items_per_batch, expires_at, revoked_at OR DELETE ON api_keys
  FOR EACH STATEMENT EXECUTE FUNCTION announce_api_keys();
CREATE TRIGGER announce AFTER UPDATE OF name, timezone, currency, status ON locations
  FOR EACH STATEMENT EXECUTE FUNCTION announce_api_keys();
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON moved_locations
  FOR EACH STATEMENT EXECUTE FUNCTION announce_api_keys();

-- A location goes with all that it has (made/locations.sql says when it may). Its orders go first: they name payment methods and
-- turns, and in which order a location's foreign keys cascade depends on which was made first, so on the dump it came from.
CREATE FUNCTION remove_orders_of_location() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  DELETE FROM orders o WHERE o.location_id = OLD.id;
  RETURN OLD;
END $$;
CREATE TRIGGER remove_orders BEFORE DELETE ON locations FOR EACH ROW EXECUTE FUNCTION remove_orders_of_location();
