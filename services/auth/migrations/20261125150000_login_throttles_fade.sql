-- Until when the tries of a counter have faded; unset in those of the version before, which count from their last try.
ALTER TABLE login_throttles ADD COLUMN faded_at timestamptz;
