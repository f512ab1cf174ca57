-- Reading what programs changed. The triggers of made/ write it: one entry a statement, an array a column
-- (docs/design/access-and-audit.md, "Changes by programs").

-- The rows of such an entry as those of a manual edit: [{key, before, after}] of the fields that differ, the first 100;
-- only those of one id where it is given.
CREATE FUNCTION history_rows(p_relation text, p_ids uuid[], p_changes jsonb, p_only uuid) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('key', jsonb_build_object((audited_key(p_relation))[2], r.id),
      'before', CASE WHEN p_changes ? 'before' THEN r.before END, 'after', CASE WHEN p_changes ? 'after' THEN r.after END)
    ORDER BY r.at), '[]')
  FROM (
    SELECT i.id, i.at, v.before, v.after
    FROM unnest(p_ids) WITH ORDINALITY i (id, at) CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_object_agg(c.name, c.was) FILTER (WHERE c.was IS DISTINCT FROM c.became), '{}') AS before,
        coalesce(jsonb_object_agg(c.name, c.became) FILTER (WHERE c.was IS DISTINCT FROM c.became), '{}') AS after
      FROM (
        SELECT k AS name, p_changes->'before'->k->(i.at::int - 1) AS was, p_changes->'after'->k->(i.at::int - 1) AS became
        FROM jsonb_object_keys(coalesce(p_changes->'after', p_changes->'before')) k
      ) c
    ) v
    WHERE p_only IS NULL OR i.id = p_only
    ORDER BY i.at LIMIT 100
  ) r
$$;
