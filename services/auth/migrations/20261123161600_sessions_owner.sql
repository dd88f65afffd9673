-- no-transaction
-- A member's sessions, also those that have ended, for the download of their data.
CREATE INDEX CONCURRENTLY IF NOT EXISTS sessions_owner ON sessions (user_id);
