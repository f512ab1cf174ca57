-- From the columns of watched.sql to functions that show a row and write it. Each is a plain function once it is made: the planner
-- may inline what shows a row.

-- The columns that are marked so, of a row `r`, as members of a JSON object. It is text that is put together, which costs half of
-- json_build_object. What may be null is left out then.
CREATE FUNCTION columns_text(relation text, columns text, marked text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT string_agg(format(CASE WHEN a.attnotnull THEN '%s' ELSE 'coalesce(%s, '''')' END,
    format($f$',"%s":' || %s$f$, a.attname, format(coalesce(v.shown, 'to_jsonb(r.%I)::text'), a.attname))), E'\n    || ' ORDER BY c.at)
  FROM regexp_split_to_table(columns, ' ') WITH ORDINALITY AS c (x, at)
  JOIN pg_attribute a ON a.attrelid = relation::regclass AND a.attname = translate(c.x, '*!^<', '')
  LEFT JOIN (VALUES ('text', 'to_json(r.%I)::text'), ('numeric', 'trim_scale(r.%I)::text'), ('boolean', 'r.%I::text'),
    ('integer', 'r.%I::text'), ('smallint', 'r.%I::text')) v (type, shown) ON v.type = a.atttypid::regtype::text
  WHERE c.x ~ marked
$$;

-- The statements that make them, for whoever applies this folder.
CREATE FUNCTION column_statements() RETURNS TABLE (statement text) LANGUAGE sql STABLE AS $$
  SELECT format($f$CREATE FUNCTION %s(r %I) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $body$
  SELECT %s
$body$
$f$, w.relation || v.suffix, w.relation, columns_text(w.relation, w.columns, v.marked))
  FROM watched() w, (VALUES ('_columns', ''), ('_in_catalog', '[*]')) v (suffix, marked) WHERE w.told_on ~ 'c'
  UNION ALL
  SELECT format($f$CREATE FUNCTION %s_json(location uuid, ids uuid[]) RETURNS TABLE (id uuid, doc text)
LANGUAGE sql STABLE PARALLEL SAFE AS $body$
  SELECT r.id, '{"id":"' || r.id || '"' || %s || '}'
  FROM %1$I r WHERE r.location_id = location AND r.id = ANY (ids)
$body$
$f$, w.relation, columns_text(w.relation, w.columns, ''))
  FROM watched() w WHERE w.told_on ~ 'j'
  UNION ALL
  -- The row with the fields that are given: a new one has null in what is not.
  SELECT format($f$CREATE FUNCTION write_%s_row(p_location uuid, p_id uuid, p_new boolean, p_fields jsonb) RETURNS void
LANGUAGE plpgsql AS $body$
BEGIN
  IF p_new THEN
    INSERT INTO %1$I (location_id, id, %2$s)
    SELECT p_location, p_id, %3$s FROM jsonb_populate_record(NULL::%1$I, p_fields) f;
  ELSE
    UPDATE %1$I r SET (%2$s) = (SELECT %3$s FROM jsonb_populate_record(r, p_fields) f)
    WHERE r.location_id = p_location AND r.id = p_id;
  END IF;
END $body$
$f$, w.relation, c.named, c.given)
  FROM watched() w CROSS JOIN LATERAL (
    SELECT string_agg(format('%I', x), ', ' ORDER BY at) AS named, string_agg(format('f.%I', x), ', ' ORDER BY at) AS given
    FROM regexp_split_to_table(translate(w.columns, '*!^<', ''), ' ') WITH ORDINALITY AS t (x, at)) c
  WHERE w.told_on ~ '[cj]'
$$;
