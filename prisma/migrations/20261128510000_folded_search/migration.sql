-- The form in which a search compares texts: NFC, lower case of each letter without regard to its neighbors, final sigma as sigma, i and
-- İ without the added dot, ß as ss. Stored texts depend on it, so it is made here: a change of it has to fill them again.
-- The letters whose lower case depends on their neighbors, or has two letters, are replaced before lower() sees them.
CREATE FUNCTION fold_text(given text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN octet_length(given) = char_length(given) THEN lower(given COLLATE "C")
    ELSE normalize(replace(replace(lower(translate(normalize(given, NFC), E'\u03A3\u03C2\u0130\u1E9E', E'\u03C3\u03C3i\u00DF')
      COLLATE "und-x-icu"), E'i\u0307', 'i'), E'\u00DF', 'ss'), NFC) COLLATE "C" END
$$;

-- prisma/sql/products.sql makes the same function again: here it fills what is written from now on.
CREATE OR REPLACE FUNCTION fill_search_text() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  NEW.search_text := fold_text(concat_ws(E'\x1f', NEW.name, NEW.sku, NEW.external_id));
  RETURN NEW;
END $$;

-- Texts of ASCII letters are the same in both forms. Nothing that is shown changes, so no trigger records it.
ALTER TABLE products DISABLE TRIGGER USER;
UPDATE products SET search_text = fold_text(concat_ws(E'\x1f', name, sku, external_id)) WHERE octet_length(search_text) <> char_length(search_text);
ALTER TABLE products ENABLE TRIGGER USER;
