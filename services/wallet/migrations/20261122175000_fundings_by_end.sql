-- no-transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS trade_fundings_settled_at ON trade_fundings (settled_at) WHERE settled_at IS NOT NULL;
