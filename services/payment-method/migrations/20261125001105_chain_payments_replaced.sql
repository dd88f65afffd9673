-- no-transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS chain_payments_replaced ON chain_payments (chain, replaced_by) WHERE replaced_by <> '';
