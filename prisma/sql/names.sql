-- Names that a list in a row may hold, as the API knows them (made/known_names.sql).

-- The known name that shares most pairs of letters with what was written.
CREATE FUNCTION nearest_name(written text, known text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT k FROM unnest(known) k
  ORDER BY (SELECT count(*) FROM generate_series(1, length(written) - 1) i WHERE strpos(k, substr(written, i, 2)) > 0) DESC,
    abs(length(k) - length(written)), k
  LIMIT 1
$$;

CREATE FUNCTION guard_event_names() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
DECLARE
  unknown text;
BEGIN
  IF NEW.events = '{}' AND NOT by_service() THEN
    RAISE EXCEPTION 'an endpoint without events hears of nothing: set its status to disabled instead'
      USING ERRCODE = 'CM008', DETAIL = NEW.id::text;
  ELSIF NOT NEW.events <@ event_names() THEN
    SELECT e INTO unknown FROM unnest(NEW.events) e WHERE e <> ALL (event_names()) LIMIT 1;
    RAISE EXCEPTION 'there is no event "%" to subscribe to: do you mean %?', unknown, nearest_name(unknown, event_names())
      USING ERRCODE = 'CM008', DETAIL = NEW.id::text;
  ELSIF cardinality(NEW.events) > (SELECT count(DISTINCT e) FROM unnest(NEW.events) e) THEN
    RAISE EXCEPTION 'an endpoint names each event once' USING ERRCODE = 'CM008', DETAIL = NEW.id::text;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard_events BEFORE INSERT OR UPDATE OF events ON webhook_endpoints
  FOR EACH ROW EXECUTE FUNCTION guard_event_names();

-- A permission, all of a resource, or everything.
CREATE FUNCTION guard_permission_names() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
DECLARE
  known text[] := permission_names() || '*'::text || array(SELECT DISTINCT split_part(n, ':', 1) || ':*' FROM unnest(permission_names()) n);
  unknown text;
BEGIN
  IF NEW.permissions = '{}' AND NOT by_service() THEN
    RAISE EXCEPTION 'a key without permissions may do nothing: revoke it instead (comanda keys revoke)'
      USING ERRCODE = 'CM008', DETAIL = NEW.id::text;
  ELSIF NOT NEW.permissions <@ known THEN
    SELECT p INTO unknown FROM unnest(NEW.permissions) p WHERE p <> ALL (known) LIMIT 1;
    RAISE EXCEPTION 'there is no permission "%": do you mean %?', unknown, nearest_name(unknown, known)
      USING ERRCODE = 'CM008', DETAIL = NEW.id::text;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard_names BEFORE INSERT OR UPDATE OF permissions ON api_keys
  FOR EACH ROW EXECUTE FUNCTION guard_permission_names();
