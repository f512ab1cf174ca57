import { statement } from '@comanda/db';

/** A product as it stands, as far as a batch can change it. */
export interface CurrentProduct {
  id: string;
  external_id: string;
  sku: string;
  name: string;
  price: number;
  visible: boolean;
  description: string;
  image_url: string;
  categories: { id: string; external_id: string | null }[];
  stock: { enabled: boolean; quantity: number; min_stock_alarm: number } | null;
}

/** $1 location, $2 external ids of products, $3 skus, $4 external ids of categories; all as of one moment. */
export const readForPreview = statement<{
  products: CurrentProduct[];
  sku_owners: { id: string; sku: string }[];
  categories: { id: string; external_id: string }[];
}>(
  'read_for_sync_preview',
  `select
     (select coalesce(json_agg(json_build_object('id', p.id, 'external_id', p.external_id, 'sku', p.sku, 'name', p.name,
         'price', p.price, 'visible', p.visible, 'description', p.description, 'image_url', p.image_url,
         'categories', (select coalesce(json_agg(json_build_object('id', c.id, 'external_id', c.external_id)), '[]')
           from product_categories l cross join lateral (
             select id, external_id from categories where location_id = l.location_id and id = l.category_id limit 1) c
           where l.location_id = p.location_id and l.product_id = p.id),
         'stock', (select json_build_object('enabled', s.enabled, 'quantity', s.quantity, 'min_stock_alarm', s.min_stock_alarm)
           from product_stock s where s.location_id = p.location_id and s.product_id = p.id))), '[]')
       from unnest($2::text[]) as v (external_id) cross join lateral (
         select * from products where location_id = $1::uuid and external_id = v.external_id limit 1) p) as products,
     (select coalesce(json_agg(json_build_object('id', p.id, 'sku', p.sku)), '[]')
       from unnest($3::text[]) as v (sku) cross join lateral (
         select id, sku from products where location_id = $1::uuid and sku = v.sku limit 1) p) as sku_owners,
     (select coalesce(json_agg(json_build_object('id', c.id, 'external_id', c.external_id)), '[]')
       from unnest($4::text[]) as v (external_id) cross join lateral (
         select id, external_id from categories where location_id = $1::uuid and external_id = v.external_id limit 1) c
     ) as categories`,
);
