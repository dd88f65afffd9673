-- no-transaction
-- chain_payments_gone takes its place.
DROP INDEX CONCURRENTLY IF EXISTS chain_payments_undone;
