-- no-transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS consumed_payments_to_tell ON consumed_payments (consumed_at)
    WHERE told_at IS NULL AND units IS NOT NULL;
