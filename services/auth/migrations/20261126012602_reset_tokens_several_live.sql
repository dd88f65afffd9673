-- no-transaction
-- An account may have several live links.
DROP INDEX CONCURRENTLY IF EXISTS reset_tokens_one_live;
