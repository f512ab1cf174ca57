-- The revision of a row, from which its entity tag is made (docs/contract.md, Preconditions). It changes with every
-- column that PATCH can change, by the service or by hand: `versioned` of a row in packages/db/src/tables names them.
-- Stock and payments leave it.

-- One more than before, and never less than the time of day in milliseconds: a row that was restored from a backup, or deleted and
-- brought back, never gets a revision again that named another state of it.
CREATE FUNCTION revise_row() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  NEW.revision := greatest(OLD.revision + 1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
  RETURN NEW;
END $$;

-- A row that comes without the service may have been there before. One that comes from another database keeps its revision.
CREATE FUNCTION revise_new_row() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT keeps_moments(TG_RELID) THEN
    NEW.revision := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  END IF;
  RETURN NEW;
END $$;
