-- means: Every subselection can be satisfied by its options: else every order of its product is refused.
-- advice: Give it options, raise their max, or lower its min_selection: by a catalog sync, the typed client or Studio. The
--   desk lists them under Products.

-- Mild: it is the menu of the restaurant, and nothing of the service is broken.
select $1::uuid as location,
  to_json(s.name)::text || ' of product ' || to_json(p.name)::text || ' (' || p.id || ')' as what,
  'needs at least ' || s.min_selection || ', and its options allow at most ' || s.most as harm, true as mild
from (
  select r.*, most_selectable(r) as most from subselections r
  where r.location_id = $1 and r.min_selection > 0 offset 0) s
join products p on p.location_id = $1 and p.id = s.product_id
where s.most < s.min_selection order by p.name, p.id, s.position limit 101;
