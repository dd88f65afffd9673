-- Six digits by which a member confirms where payouts may go. As all codes they are derived from their row's id by a key
-- outside the database.
CREATE TABLE destination_codes (
    id            uuid        NOT NULL CONSTRAINT destination_codes_pkey PRIMARY KEY,
    user_id       uuid        NOT NULL CONSTRAINT destination_codes_user_fkey REFERENCES users,
    -- What the wallet calls the destination.
    destination   bytea       NOT NULL CONSTRAINT destination_codes_destination CHECK (length(destination) = 32),
    -- The link "This was not me" in the same mail; a row of security_links while that is kept.
    link_id       uuid        NOT NULL,
    attempts      smallint    NOT NULL DEFAULT 0 CONSTRAINT destination_codes_attempts CHECK (attempts BETWEEN 0 AND 5),
    created_at    timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL,
    -- Submitted. Until it expires it may be submitted again, by a caller who lost the answer.
    consumed_at   timestamptz,
    superseded_at timestamptz
);
CREATE UNIQUE INDEX destination_codes_one_live ON destination_codes (user_id, destination) WHERE superseded_at IS NULL;
CREATE INDEX destination_codes_user ON destination_codes (user_id, created_at DESC);
CREATE INDEX destination_codes_expires_at ON destination_codes (expires_at);
