-- no-transaction
-- The live trades of a plan, page by page.
CREATE INDEX CONCURRENTLY IF NOT EXISTS trades_live ON trades (plan_id, id) WHERE status IN ('opening', 'open', 'settling');
