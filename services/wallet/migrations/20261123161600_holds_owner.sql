-- no-transaction
-- A member's holds, also released ones, for the download of their data.
CREATE INDEX CONCURRENTLY IF NOT EXISTS holds_owner ON holds (user_id);
