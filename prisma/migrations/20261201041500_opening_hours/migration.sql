-- When a location is open. An unreadable value by hand would break its answers, so the column takes what the API takes.
CREATE FUNCTION is_opening_hours(hours jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  WITH weekly AS (
    SELECT w FROM jsonb_array_elements(CASE WHEN jsonb_typeof(hours->'weekly') = 'array' THEN hours->'weekly' ELSE '[{}]' END) AS w
  ), exceptions AS (
    SELECT e FROM jsonb_array_elements(CASE WHEN jsonb_typeof(hours->'exceptions') = 'array' THEN hours->'exceptions' ELSE '[{}]' END) AS e
  ), spans AS (
    SELECT w - 'day' AS s FROM weekly
    UNION ALL
    SELECT s FROM exceptions, jsonb_array_elements(CASE WHEN jsonb_typeof(e->'spans') = 'array' THEN e->'spans' ELSE '[{}]' END) AS s
  )
  SELECT jsonb_typeof(hours) = 'object' AND hours - '{weekly,exceptions}'::text[] = '{}'
    AND NOT EXISTS (SELECT FROM weekly WHERE (w->>'day' IN
      ('monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday')) IS NOT TRUE)
    AND NOT EXISTS (SELECT FROM exceptions WHERE (e->>'date' ~ '^\d{4}-\d{2}-\d{2}$') IS NOT TRUE
      OR (jsonb_typeof(e->'name') = 'string') IS FALSE OR e - '{date,name,spans}'::text[] <> '{}')
    AND NOT EXISTS (SELECT FROM spans WHERE (s->>'opens' ~ '^([01]\d|2[0-3]):[0-5]\d$'
      AND s->>'closes' ~ '^(([01]\d|2[0-3]):[0-5]\d|24:00)$' AND s - '{opens,closes}'::text[] = '{}') IS NOT TRUE)
$$;

-- AlterTable
ALTER TABLE "locations" ADD COLUMN     "opening_hours" JSONB,
ADD CONSTRAINT locations_opening_hours_check CHECK (opening_hours IS NULL OR is_opening_hours(opening_hours));
