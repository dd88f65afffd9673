-- no-transaction
-- The newest opening among a plan's live trades, without reading them all: a value is never published behind it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS trades_live_created ON trades (plan_id, created_at)
    WHERE status IN ('opening', 'open');
