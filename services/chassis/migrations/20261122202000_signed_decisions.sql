-- What auth signed of a decision, and the signature; unset in rows of before, and of what is no decision.
ALTER TABLE audit_rows ADD COLUMN decision jsonb, ADD COLUMN assertion text;
