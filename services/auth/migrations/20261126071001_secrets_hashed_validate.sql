ALTER TABLE users VALIDATE CONSTRAINT users_password_hash;
ALTER TABLE reset_tokens VALIDATE CONSTRAINT reset_tokens_token_hash;
