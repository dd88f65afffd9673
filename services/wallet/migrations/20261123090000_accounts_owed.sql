-- no-transaction
-- Every movement asks whether its members owe something. Hardly anybody does: an index of those few answers at once.
CREATE INDEX CONCURRENTLY IF NOT EXISTS accounts_owed ON accounts (user_id) WHERE kind = 'owed';
