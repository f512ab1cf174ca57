-- means: No two external ids or skus differ in their Unicode normalization alone.
-- advice: Both rows stay, and each is found by its own spelling. Give one of them another identifier, or delete it.

-- Identifiers that were stored before the service refused such twins. No other text equals one that the pattern
-- matches (plainIdentifier in packages/db/src/texts.ts), and partial indexes have the rest.
select location, what, harm, mild from (
  select location_id as location, kind || ' ' || id as what,
    name || ' ' || to_json(value) || ' differs from that of another ' || kind || ' in its normalization alone' as harm,
    true as mild, count(*) over (partition by kind, name, scope, normalize(value, nfc)) as n
  from (
    select 'product' as kind, 'external_id' as name, external_id as value, location_id as scope, location_id, id
    from products
    union all select 'product', 'sku', sku, location_id, location_id, id from products
    union all select 'category', 'external_id', external_id, location_id, location_id, id from categories
    union all select 'subselection', 'external_id', external_id, product_id, location_id, id from subselections
    union all select 'item', 'external_id', external_id, subselection_id, location_id, id from subselection_items
    union all select 'order', 'external_id', external_id, location_id, location_id, id from orders) every
  where location_id = $1 and value !~ '^[ -:<-JL-_a-~]*$') compared
where n > 1 order by what limit 101;
