-- no-transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS trade_fundings_created_at ON trade_fundings USING brin (created_at)
    WITH (pages_per_range = 16, autosummarize = on);
