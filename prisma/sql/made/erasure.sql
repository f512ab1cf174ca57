-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

-- A JSON text without what people wrote in an order. A quote within a text is escaped, so none of it is taken for a name.
CREATE FUNCTION erased(doc text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace(doc, '"(identifier|cancel_reason|comment)":( ?)"([^"\\]|\\.)*"', '"\1":\2""', 'g')
$$;
