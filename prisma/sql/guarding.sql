-- From the table in guarded.sql to triggers. They are ordinary ones: a dump has them after its data, and who may disable
-- triggers may pass. What they refuse leaves nothing behind.
--
--   CM008  refused by a guard; the message says what to do instead, the detail is the id of the row

-- Whether the service itself asks: whoever may write events. Who may empty their table, too, owns it, and is known by
-- the name of the session: those of the API, the worker and the commands begin with "comanda". The owner may do everything.
-- Whoever undoes a hand edit is a hand.
CREATE FUNCTION by_service() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT has_table_privilege(session_user, 'public.events'::regclass, 'INSERT')
    AND (starts_with(current_setting('application_name'), 'comanda')
      OR NOT has_table_privilege(session_user, 'public.events'::regclass, 'TRUNCATE'))
    AND coalesce(current_setting('comanda.undoing', true), '') = ''
$$;

-- Whether the transaction has said a deed that passes the rule. Runs as its caller: `who` must own the table or be a
-- member of the role that does.
--
-- A deed holds for one transaction. Nothing tells SET LOCAL from a SET of the session while both last; so a deed that is
-- looked at is taken from the session, and said anew for what is left of the transaction. One that comes with the role,
-- the database or the connection comes back when it is taken, and passes nothing.
CREATE FUNCTION deed_passes(relation oid, rule text, who name DEFAULT current_user) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  said text := coalesce(current_setting('comanda.deed', true), '');
  deed record;
BEGIN
  IF said = '' THEN
    RETURN false;
  ELSIF set_config('comanda.deed', NULL, false) <> '' THEN
    RAISE EXCEPTION 'a deed is said within its transaction: set local comanda.deed = ''…''; that of a role, a database or a connection passes nothing'
      USING ERRCODE = 'CM008', DETAIL = said;
  END IF;
  PERFORM set_config('comanda.deed', said, true);
  SELECT * INTO deed FROM deeds() d WHERE said ~ ('^' || d.name || ': *\S');
  IF NOT FOUND THEN
    RAISE EXCEPTION 'comanda.deed must be one of % with a reason, such as ''import: orders of 2019''',
      (SELECT string_agg(d.name, ', ') FROM deeds() d) USING ERRCODE = 'CM008', DETAIL = said;
  END IF;
  RETURN rule = ANY (deed.passes)
    AND pg_has_role(who, (SELECT c.relowner FROM pg_class c WHERE c.oid = relation), 'MEMBER');
END $$;

-- A row that goes by cascade goes at a depth of more than one trigger, and nothing else that a person writes does.
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF TG_ARGV[0] = 'kept' AND pg_trigger_depth() > 1 OR deed_passes(TG_RELID, TG_ARGV[0]) THEN
    RETURN coalesce(NEW, OLD);
  END IF;
  RAISE EXCEPTION '%', TG_ARGV[1] USING ERRCODE = 'CM008',
    DETAIL = coalesce(to_jsonb(OLD)->>'id', to_jsonb(OLD)->>'location_id', TG_TABLE_NAME);
END $$;

-- In a function, not in the trigger's condition, which is parsed for every statement.
CREATE FUNCTION refuse_by_hand() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF pg_trigger_depth() > 1 THEN
    RETURN NULL;
  ELSIF by_service() THEN
    RETURN NULL;
  ELSIF TG_OP <> 'TRUNCATE' AND deed_passes(TG_RELID, 'service') THEN
    IF TG_TABLE_NAME NOT IN (SELECT a.relation FROM audited() a) THEN
      PERFORM note_hand_edit(NULL, lower(TG_OP), TG_TABLE_NAME, NULL, NULL, false);
    END IF;
    RETURN NULL;
  END IF;
  RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'CM008', DETAIL = TG_TABLE_NAME;
END $$;

-- The statements that make the triggers of guarded(), for whoever applies this folder.
CREATE FUNCTION guard_statements() RETURNS TABLE (statement text) LANGUAGE sql STABLE AS $$
  SELECT CASE g.rule
    WHEN 'kept' THEN format('CREATE TRIGGER guard_kept BEFORE DELETE ON %I FOR EACH ROW %s EXECUTE FUNCTION refuse(%L, %L)',
      g.relation, 'WHEN (' || g.condition || ')', g.rule, g.sentence)
    WHEN 'service' THEN format('CREATE TRIGGER guard_service BEFORE %s ON %I FOR EACH STATEMENT '
      'EXECUTE FUNCTION refuse_by_hand(%L)',
      CASE g.columns WHEN 'i' THEN 'INSERT' ELSE 'INSERT OR UPDATE OR DELETE OR TRUNCATE' END, g.relation, g.sentence)
    WHEN 'lines' THEN format('CREATE TRIGGER guard_lines BEFORE INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW '
      'EXECUTE FUNCTION guard_line(%L)', g.relation, g.sentence)
    ELSE format('CREATE TRIGGER %I BEFORE UPDATE OF %s ON %I FOR EACH ROW '
      'WHEN (ROW(%s) IS DISTINCT FROM ROW(%s)%s) EXECUTE FUNCTION refuse(%L, %L)',
      'guard_' || c.first, c.named, g.relation, c.old, c.new, ' AND (' || g.condition || ')', g.rule, g.sentence)
    END
  FROM guarded() g CROSS JOIN LATERAL (
    SELECT min(name) FILTER (WHERE at = 1) AS first, string_agg(format('%I', name), ', ' ORDER BY at) AS named,
      string_agg(format('OLD.%I', name), ', ' ORDER BY at) AS old, string_agg(format('NEW.%I', name), ', ' ORDER BY at) AS new
    FROM regexp_split_to_table(g.columns, ' ') WITH ORDINALITY AS t (name, at)) c
  UNION ALL
  SELECT format('CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse(%L, %L)',
    g.relation, 'truncate', 'TRUNCATE passes by all that is told, counted and guarded: use DELETE')
  FROM guarded() g GROUP BY g.relation HAVING NOT bool_or(g.rule = 'service' AND g.columns = 'iud')
$$;
