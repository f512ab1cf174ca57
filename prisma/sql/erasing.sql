-- What a person left in an order is erased wherever it was copied to (comanda erase --order). Its number, its states, its
-- money and its counts stay.

-- A text of JSON without what people wrote in an order. A quote within a text is escaped, so none of it is taken for a name.
CREATE FUNCTION erased(doc text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace(doc, '"(identifier|comment|cancel_reason)":( ?)"([^"\\]|\\.)*"', '"\1":\2""', 'g')
$$;

-- The same for those of some documents that are of the order.
CREATE FUNCTION erased_of(docs jsonb[], ids uuid[], p_order uuid) RETURNS jsonb[] LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN docs IS NOT NULL THEN ARRAY(SELECT CASE WHEN d.id = p_order THEN erased(d.doc::text)::jsonb ELSE d.doc END
    FROM unnest(docs, ids) WITH ORDINALITY AS d (doc, id, place) ORDER BY d.place) END
$$;
