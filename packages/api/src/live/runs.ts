/**
 * SQL for the events `e` of location `$1` and of a type `w.type` behind a number: one run of the index by type and number. An
 * equality would let the planner read by the number alone, past every event of other types, as soon as it takes the type for a common one.
 */
export const runOfType = (after: string): string =>
  `e.location_id = $1::uuid and (e.type, e.number) > (w.type, ${after}) and e.type <= w.type`;

/** SQL for the first `$3` events of the types `$4` behind the number `$2`: the first of each type, and of these the first. */
export const runsOfTypes = (columns: string): string =>
  `select found.* from unnest($4::text[]) as w (type) cross join lateral (
     select ${columns} from events e where ${runOfType('$2::bigint')} order by e.type, e.number limit $3) found
   order by found.number limit $3`;
