-- no-transaction
-- An account may have several live codes.
DROP INDEX CONCURRENTLY IF EXISTS codes_one_live;
