-- Identifiers of callers and names. Two identifiers that differ in normalization alone are one: the unique indexes ..._form_idx hold that for
-- every writer. Rows that were such twins before these indexes are marked (external_id_twin, sku_twin), and the indexes leave them apart.

-- Names and descriptions in NFC. The arguments are the columns that may be meant.
CREATE FUNCTION compose_texts() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  RETURN jsonb_populate_record(NEW, (
    SELECT jsonb_object_agg(c, normalize(to_jsonb(NEW)->>c, NFC)) FROM unnest(TG_ARGV) c WHERE to_jsonb(NEW) ? c));
END $$;

-- A twin is marked by the migration, and comes with a copy of its location. The mark ends when its identifier changes; a person sets none.
CREATE FUNCTION end_external_id_twin() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.external_id_twin := service_session();
  ELSE
    NEW.external_id_twin := NEW.external_id IS NOT DISTINCT FROM OLD.external_id AND (OLD.external_id_twin OR service_session());
  END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION end_sku_twin() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.sku_twin := service_session();
  ELSE
    NEW.sku_twin := NEW.sku = OLD.sku AND (OLD.sku_twin OR service_session());
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER end_external_id_twin BEFORE INSERT OR UPDATE OF external_id, external_id_twin ON categories
  FOR EACH ROW WHEN (NEW.external_id_twin) EXECUTE FUNCTION end_external_id_twin();
CREATE TRIGGER end_external_id_twin BEFORE INSERT OR UPDATE OF external_id, external_id_twin ON products
  FOR EACH ROW WHEN (NEW.external_id_twin) EXECUTE FUNCTION end_external_id_twin();
CREATE TRIGGER end_sku_twin BEFORE INSERT OR UPDATE OF sku, sku_twin ON products
  FOR EACH ROW WHEN (NEW.sku_twin) EXECUTE FUNCTION end_sku_twin();
CREATE TRIGGER end_external_id_twin BEFORE INSERT OR UPDATE OF external_id, external_id_twin ON subselections
  FOR EACH ROW WHEN (NEW.external_id_twin) EXECUTE FUNCTION end_external_id_twin();
CREATE TRIGGER end_external_id_twin BEFORE INSERT OR UPDATE OF external_id, external_id_twin ON subselection_items
  FOR EACH ROW WHEN (NEW.external_id_twin) EXECUTE FUNCTION end_external_id_twin();
CREATE TRIGGER end_external_id_twin BEFORE INSERT OR UPDATE OF external_id, external_id_twin ON orders
  FOR EACH ROW WHEN (NEW.external_id_twin) EXECUTE FUNCTION end_external_id_twin();
