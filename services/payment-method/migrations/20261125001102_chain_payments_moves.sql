-- no-transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS chain_payments_moves
    ON chain_payments (chain, symbol, address, coalesce(height, 9223372036854775807))
    WHERE waits OR state IN ('included', 'final');
