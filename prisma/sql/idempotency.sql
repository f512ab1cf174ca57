-- Idempotency keys: a call that is repeated with its key is done once.
-- The key, what was done and the answer commit in one transaction; a refused call leaves nothing behind.

-- Claims a key for the transaction: another call with it waits to its end. `outcome` is NULL when the key is free, then
-- the caller must store the answer with it; 'replayed' with the stored result: the answer as text or sealed, or the refusal of
-- repeats; 'reused' when it came with another body. Captured changes carry the request from then on.
CREATE FUNCTION claim_key(
  p_location uuid, p_api_key uuid, p_operation text, p_key text, p_request_hash bytea, p_ttl_hours int, p_request_id text,
  OUT outcome text, OUT response text, OUT sealed bytea, OUT encryption_key_id text, OUT refusal text
) LANGUAGE plpgsql AS $$
DECLARE
  v_same boolean;
  v_fresh boolean;
  v_setting text;
BEGIN
  v_setting := refuse_unless_active(p_location);
  -- The lock in a statement of its own: the next one sees what was committed while it waited.
  v_setting := pg_advisory_xact_lock(hashtextextended(p_api_key::text || p_operation || p_key, 0));
  v_setting := set_config('comanda.api_key_id', p_api_key::text, true);
  v_setting := set_config('comanda.request_id', coalesce(p_request_id, ''), true);
  SELECT k.request_hash = p_request_hash, k.created_at > now() - make_interval(hours => p_ttl_hours), k.response, k.sealed,
    k.encryption_key_id, k.refusal
  INTO v_same, v_fresh, response, sealed, encryption_key_id, refusal FROM internal.idempotency_keys k
  WHERE k.location_id = p_location AND k.api_key_id = p_api_key AND k.operation = p_operation AND k.key = p_key;
  IF v_fresh THEN
    outcome := CASE WHEN v_same THEN 'replayed' ELSE 'reused' END;
  ELSIF FOUND THEN
    DELETE FROM internal.idempotency_keys k
    WHERE k.location_id = p_location AND k.api_key_id = p_api_key AND k.operation = p_operation AND k.key = p_key;
  END IF;
END $$;
