-- no-transaction
-- Whether a stored picture is a method's.
CREATE INDEX CONCURRENTLY IF NOT EXISTS method_versions_image ON method_versions (image_key) WHERE image_key <> '';
