-- What staff with a passkey sign before they decide it: kept until the decision asks for it, within minutes. From then on it is
-- part of the assertion in the audit row.
CREATE TABLE decision_signatures (
    session_id         uuid        NOT NULL CONSTRAINT decision_signatures_session_fkey REFERENCES sessions ON DELETE CASCADE,
    -- SHA-256 of what is decided.
    digest             bytea       NOT NULL CONSTRAINT decision_signatures_digest CHECK (length(digest) = 32),
    -- COSE_Key of the passkey.
    public_key         bytea       NOT NULL,
    authenticator_data bytea       NOT NULL,
    client_data        bytea       NOT NULL,
    signature          bytea       NOT NULL,
    created_at         timestamptz NOT NULL,
    CONSTRAINT decision_signatures_pkey PRIMARY KEY (session_id, digest)
);
CREATE INDEX decision_signatures_created_at ON decision_signatures (created_at);
-- Whether the second factor that was last given is a passkey.
ALTER TABLE sessions ADD COLUMN stepped_up_by_passkey boolean NOT NULL DEFAULT false;
