-- no-transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS chain_payments_gone ON chain_payments (changed_at)
    WHERE (way = 'out' OR is_consumed) AND state IN ('orphaned', 'replaced', 'failed');
