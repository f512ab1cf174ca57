-- What became of an order and by whom, for its timeline: written by the database, so that an edit in Studio or psql
-- is told as well.

-- The API key that the transaction acts for; NULL in psql, Studio and the worker.
CREATE FUNCTION current_api_key_id() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT nullif(current_setting('comanda.api_key_id', true), '')::uuid
$$;

-- An order's own row says who made it: a row more for every order would cost its creation.
-- AlterTable
ALTER TABLE "orders" ADD COLUMN "created_by" UUID DEFAULT current_api_key_id(),
ADD COLUMN "request_id" TEXT COLLATE "C" DEFAULT current_request_id();

-- CreateTable
CREATE TABLE "order_moves" (
    "location_id" UUID NOT NULL,
    "order_id" UUID NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "from_status" "order_status" NOT NULL,
    "to_status" "order_status" NOT NULL,
    "moved_by" UUID DEFAULT current_api_key_id(),
    "request_id" TEXT COLLATE "C" DEFAULT current_request_id(),
    "moved_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "order_moves_pkey" PRIMARY KEY ("location_id","order_id","id")
);

-- AddForeignKey
ALTER TABLE "order_moves" ADD CONSTRAINT "order_moves_location_id_order_id_fkey" FOREIGN KEY ("location_id", "order_id") REFERENCES "orders"("location_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE FUNCTION note_order_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO order_moves (location_id, order_id, from_status, to_status)
  VALUES (NEW.location_id, NEW.id, OLD.status, NEW.status);
  RETURN NULL;
END $$;
CREATE TRIGGER note_move AFTER UPDATE OF status ON orders
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION note_order_move();

-- The move of a caller with an API key: the move above, which then knows who made it.
CREATE FUNCTION move_order(
  p_location uuid, p_order uuid, p_next order_status, p_reason text, p_request_id text, p_api_key uuid,
  OUT previous order_status, OUT response text
) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('comanda.api_key_id', coalesce(p_api_key::text, ''), true);
  SELECT m.previous, m.response INTO previous, response
  FROM move_order(p_location, p_order, p_next, p_reason, p_request_id) m;
END $$;

-- The feed of events of some types goes by their numbers, too.
-- CreateIndex
CREATE INDEX "events_location_id_type_number_idx" ON "events"("location_id", "type", "number");
