-- The second factor of staff: an authenticator, and codes that stand in for it when it is lost.

CREATE TABLE authenticators (
    id            uuid        NOT NULL CONSTRAINT authenticators_pkey PRIMARY KEY,
    user_id       uuid        NOT NULL CONSTRAINT authenticators_user_fkey REFERENCES users,
    -- Sealed for this row by a key outside the database.
    sealed_secret bytea       NOT NULL,
    created_at    timestamptz NOT NULL,
    -- When its owner proved to hold it; it counts from then on.
    confirmed_at  timestamptz,
    -- The newest 30 seconds whose code was taken: no code is taken twice.
    last_step     bigint      NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX authenticators_one_in_force ON authenticators (user_id) WHERE confirmed_at IS NOT NULL;
CREATE UNIQUE INDEX authenticators_one_pending ON authenticators (user_id) WHERE confirmed_at IS NULL;

CREATE TABLE recovery_codes (
    user_id   uuid        NOT NULL CONSTRAINT recovery_codes_user_fkey REFERENCES users,
    -- HMAC by a key outside the database.
    code_hash bytea       NOT NULL,
    used_at   timestamptz,
    CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, code_hash)
);
