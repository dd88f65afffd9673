-- no-transaction
-- consumed_payments_to_tell takes its place.
DROP INDEX CONCURRENTLY IF EXISTS consumed_payments_untold;
