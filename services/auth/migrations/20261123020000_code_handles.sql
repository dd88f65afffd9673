-- What a code was asked with: the request of a visitor, whose submissions are counted apart, so that they cost the owner
-- of the account nothing.
ALTER TABLE codes ADD COLUMN request_id uuid, ADD COLUMN request_attempts smallint NOT NULL DEFAULT 0;
ALTER TABLE codes
    ADD CONSTRAINT codes_request_attempts CHECK (request_attempts BETWEEN 0 AND 5) NOT VALID;

-- Who asks: an account, by a session or a handle of it, or a visitor by a request of their own.
ALTER TABLE mail_requests ADD COLUMN user_id uuid, ADD COLUMN request_id uuid;
