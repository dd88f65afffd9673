-- Since when a staff account has its role; unset: since it was made. New staff wait before they decide.
ALTER TABLE users ADD COLUMN role_since timestamptz;
