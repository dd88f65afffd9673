-- no-transaction
-- A member's mails, for the download of their data.
CREATE INDEX CONCURRENTLY IF NOT EXISTS mails_owner ON mails (user_id);
