-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

-- A JSON text without what people wrote in an order. A quote within a text is escaped, so none of it is taken for a name.
CREATE FUNCTION erased(doc text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace(doc, '"(identifier|cancel_reason|note|customer_name|customer_phone|customer_email|customer_tax_id|delivery_lines|delivery_city|delivery_postal_code|delivery_country|delivery_note|comment)":( ?)"([^"\\]|\\.)*"', '"\1":\2""', 'g')
$$;
