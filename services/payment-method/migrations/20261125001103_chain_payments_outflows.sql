-- no-transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS chain_payments_outflows ON chain_payments (id)
    WHERE way = 'out' AND transaction_id IS NULL AND state IN ('seen', 'included', 'final');
