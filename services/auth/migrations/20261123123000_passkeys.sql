-- Passkeys: second factors that also sign in by themselves.
CREATE TABLE passkeys (
    id            uuid        NOT NULL CONSTRAINT passkeys_pkey PRIMARY KEY,
    user_id       uuid        NOT NULL CONSTRAINT passkeys_user_fkey REFERENCES users,
    name          text        NOT NULL CONSTRAINT passkeys_name CHECK (length(name) BETWEEN 1 AND 60),
    -- As the authenticator chose it.
    credential_id bytea       NOT NULL CONSTRAINT passkeys_credential_id_key UNIQUE
                              CONSTRAINT passkeys_credential_id CHECK (length(credential_id) BETWEEN 1 AND 1023),
    -- COSE_Key.
    public_key    bytea       NOT NULL,
    -- COSE algorithm of the key.
    algorithm     integer     NOT NULL,
    -- The last one it signed; 0 while it counts none.
    sign_count    bigint      NOT NULL CONSTRAINT passkeys_sign_count CHECK (sign_count >= 0),
    -- How a browser reaches it, as it told.
    transports    text[]      NOT NULL,
    created_at    timestamptz NOT NULL,
    last_used_at  timestamptz
);
CREATE INDEX passkeys_user ON passkeys (user_id, created_at);

-- Challenges that were used, until they are too old anyway: none is used twice. Those that were not leave no row.
CREATE TABLE used_challenges (
    id      uuid        NOT NULL CONSTRAINT used_challenges_pkey PRIMARY KEY,
    used_at timestamptz NOT NULL
);
CREATE INDEX used_challenges_used_at ON used_challenges (used_at);
