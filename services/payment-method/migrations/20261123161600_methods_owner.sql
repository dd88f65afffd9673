-- no-transaction
-- A member's methods, also archived ones, for the download of their data.
CREATE INDEX CONCURRENTLY IF NOT EXISTS methods_owner ON methods (user_id) WHERE scope = 'personal';
