-- no-transaction
-- Whether a stored photo is somebody's.
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_image ON users (image_key) WHERE image_key <> '';
