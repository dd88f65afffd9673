-- no-transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS consumed_payments_untold ON consumed_payments (consumed_at)
    WHERE told_at IS NULL AND direction = 'in' AND units IS NOT NULL AND freed_at IS NULL;
