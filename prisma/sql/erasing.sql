-- A person's text in an order is erased in every place that it was copied to (comanda erase --order). Its number, its
-- states, its money and its counts stay.

-- Some documents, those that are of the order as erased() leaves them (made/erasure.sql).
CREATE FUNCTION erased_of(docs jsonb[], ids uuid[], p_order uuid) RETURNS jsonb[] LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN docs IS NOT NULL THEN ARRAY(SELECT CASE WHEN d.id = p_order THEN erased(d.doc::text)::jsonb ELSE d.doc END
    FROM unnest(docs, ids) WITH ORDINALITY AS d (doc, id, place) ORDER BY d.place) END
$$;
