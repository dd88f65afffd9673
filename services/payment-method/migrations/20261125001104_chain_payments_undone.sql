-- no-transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS chain_payments_undone ON chain_payments (changed_at)
    WHERE way IN ('in', 'out') AND state IN ('orphaned', 'replaced', 'failed');
