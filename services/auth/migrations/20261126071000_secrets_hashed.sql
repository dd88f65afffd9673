-- Passwords and links are kept as hashes alone. The auditor's role does not read them, so that the database ensures it.
ALTER TABLE users ADD CONSTRAINT users_password_hash CHECK (password_hash LIKE '$argon2id$%') NOT VALID;
ALTER TABLE reset_tokens ADD CONSTRAINT reset_tokens_token_hash CHECK (length(token_hash) = 32) NOT VALID;
