-- no-transaction
-- Finds what a member paid for the course. Not unique: a member may buy the course again after a refund.
CREATE INDEX CONCURRENTLY IF NOT EXISTS postings_of_courses ON postings (user_id) WHERE kind = 'course';
