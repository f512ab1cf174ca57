-- Names that a list in a row may hold, as the API knows them (made/known_names.sql), and other edits of a location, an
-- endpoint, a key and an image that the API refuses. CHECKs hold most of it, too, but say it by their names.

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

CREATE FUNCTION guard_location_currency() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NEW.currency !~ '^[A-Z]{3}$' THEN
    RAISE EXCEPTION 'currency must be an ISO 4217 code of three capital letters, such as UYU: "%" is none', NEW.currency
      USING ERRCODE = 'check_violation', DETAIL = NEW.id::text;
  END IF;
  RETURN NEW;
END $$;
-- Before guard_currency, which refuses another currency where there are amounts: triggers fire in the order of their names.
CREATE TRIGGER check_currency BEFORE INSERT OR UPDATE OF currency ON locations
  FOR EACH ROW EXECUTE FUNCTION guard_location_currency();

-- The URLs that address.rules.ts refuses for every setting of targets.
CREATE FUNCTION guard_endpoint_url() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
DECLARE
  fault text := CASE
    WHEN char_length(NEW.url) > 2048 THEN 'have at most 2048 characters'
    WHEN NEW.url !~* '^https?://[^/\\?#\s\u0001-\u001f\u007f-\u009f]+([/?#][^\\\s\u0001-\u001f\u007f-\u009f]*)?$'
      THEN 'be an absolute http or https URL without spaces, such as https://pos.example/hook'
    WHEN NEW.url ~ '^[^/]*//[^/?#]*@' THEN 'not contain credentials'
    WHEN NEW.url ~ '#' THEN 'not contain a fragment, which begins with #' END;
BEGIN
  IF fault IS NOT NULL THEN
    RAISE EXCEPTION 'the url of an endpoint must %', fault USING ERRCODE = 'check_violation', DETAIL = NEW.id::text;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard_url BEFORE INSERT OR UPDATE OF url ON webhook_endpoints
  FOR EACH ROW EXECUTE FUNCTION guard_endpoint_url();

CREATE FUNCTION guard_key_limits() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
DECLARE
  wrong text := CASE WHEN NEW.per_minute < 1 THEN 'per_minute' WHEN NEW.monthly < 1 THEN 'monthly'
    WHEN NEW.batch_jobs_per_hour < 1 THEN 'batch_jobs_per_hour' WHEN NEW.max_items_per_batch < 1 THEN 'max_items_per_batch' END;
BEGIN
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION '% of a key must be 1 or more: revoke a key that is to do nothing', wrong
      USING ERRCODE = 'check_violation', DETAIL = NEW.id::text;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard_limits BEFORE INSERT OR UPDATE OF per_minute, monthly, batch_jobs_per_hour, max_items_per_batch ON api_keys
  FOR EACH ROW EXECUTE FUNCTION guard_key_limits();

-- is_image_url looks at the beginning alone. It is in CHECKs, where a stricter one would refuse other edits of rows that are there.
CREATE FUNCTION guard_image_url() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF by_service() THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'image_url must be an http or https address with a host and without spaces in it, or empty: https://images.example.com/cake.jpg'
    USING ERRCODE = 'check_violation', DETAIL = NEW.id::text;
END $$;
CREATE TRIGGER guard_image BEFORE INSERT OR UPDATE OF image_url ON products
  FOR EACH ROW WHEN (NEW.image_url <> '' AND is_image_url(NEW.image_url) AND NEW.image_url !~* '^\s*https?://[^\s/?#\\]+(\s*$|[/?#\\])') EXECUTE FUNCTION guard_image_url();
CREATE TRIGGER guard_image BEFORE INSERT OR UPDATE OF image_url ON categories
  FOR EACH ROW WHEN (NEW.image_url <> '' AND is_image_url(NEW.image_url) AND NEW.image_url !~* '^\s*https?://[^\s/?#\\]+(\s*$|[/?#\\])') EXECUTE FUNCTION guard_image_url();
CREATE TRIGGER guard_image BEFORE INSERT OR UPDATE OF image_url ON subselection_items
  FOR EACH ROW WHEN (NEW.image_url <> '' AND is_image_url(NEW.image_url) AND NEW.image_url !~* '^\s*https?://[^\s/?#\\]+(\s*$|[/?#\\])') EXECUTE FUNCTION guard_image_url();
