-- Accounts, their sessions, and what proves who they are. No secret stands here in the clear: codes and link tokens
-- are derived from their row's id by a key outside the database.

CREATE TABLE users (
    id            uuid        NOT NULL CONSTRAINT users_pkey PRIMARY KEY,
    name          text        NOT NULL CONSTRAINT users_name_length CHECK (length(name) BETWEEN 1 AND 100),
    email         text        NOT NULL CONSTRAINT users_email_length CHECK (length(email) BETWEEN 3 AND 254),
    -- The address a change waits for; the old one stays in force until its code is confirmed.
    pending_email text,
    phone         text        NOT NULL,
    country       text        NOT NULL,
    image_key     text        NOT NULL DEFAULT '',
    -- Unset while an invitation waits for its owner.
    password_hash text,
    -- Unset for members.
    role          text        CONSTRAINT users_role CHECK (role IN ('reviewer', 'treasurer', 'manager', 'auditor', 'admin')),
    created_at    timestamptz NOT NULL,
    verified_at   timestamptz,
    frozen_at     timestamptz,
    disabled_at   timestamptz,
    CONSTRAINT users_members_have_passwords CHECK (role IS NOT NULL OR password_hash IS NOT NULL),
    CONSTRAINT users_only_staff_is_disabled CHECK (role IS NOT NULL OR disabled_at IS NULL)
);
CREATE UNIQUE INDEX users_email_key ON users (lower(email));
CREATE INDEX users_pending_email ON users (lower(pending_email)) WHERE pending_email IS NOT NULL;
CREATE INDEX users_staff ON users (id) WHERE role IS NOT NULL;

CREATE TABLE sessions (
    id            uuid        NOT NULL CONSTRAINT sessions_pkey PRIMARY KEY,
    user_id       uuid        NOT NULL CONSTRAINT sessions_user_fkey REFERENCES users,
    created_at    timestamptz NOT NULL,
    last_seen_at  timestamptz NOT NULL,
    -- When it ends unless used, and when it ends in any case.
    idle_until    timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL,
    revoked_at    timestamptz,
    -- When a second factor was last given.
    stepped_up_at timestamptz,
    device        text        NOT NULL,
    address       text        NOT NULL,
    CONSTRAINT sessions_idle_within_life CHECK (idle_until <= expires_at)
);
CREATE INDEX sessions_user ON sessions (user_id, last_seen_at DESC) WHERE revoked_at IS NULL;
CREATE INDEX sessions_expires_at ON sessions (expires_at);

-- Six digits mailed to an address, to prove that its owner reads it.
CREATE TABLE codes (
    id            uuid        NOT NULL CONSTRAINT codes_pkey PRIMARY KEY,
    user_id       uuid        NOT NULL CONSTRAINT codes_user_fkey REFERENCES users,
    purpose       text        NOT NULL CONSTRAINT codes_purpose CHECK (purpose IN ('registration', 'email_change')),
    -- The address that it proves.
    email         text        NOT NULL,
    attempts      smallint    NOT NULL DEFAULT 0 CONSTRAINT codes_attempts CHECK (attempts BETWEEN 0 AND 5),
    created_at    timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL,
    consumed_at   timestamptz,
    superseded_at timestamptz,
    CONSTRAINT codes_one_end CHECK (consumed_at IS NULL OR superseded_at IS NULL)
);
CREATE UNIQUE INDEX codes_one_live ON codes (user_id, purpose) WHERE consumed_at IS NULL AND superseded_at IS NULL;
CREATE INDEX codes_live_email ON codes (lower(email)) WHERE consumed_at IS NULL AND superseded_at IS NULL;
CREATE INDEX codes_user ON codes (user_id, created_at DESC);

-- Links by which an account's owner sets a password: a forgotten one, or the first of invited staff.
CREATE TABLE reset_tokens (
    id            uuid        NOT NULL CONSTRAINT reset_tokens_pkey PRIMARY KEY,
    user_id       uuid        NOT NULL CONSTRAINT reset_tokens_user_fkey REFERENCES users,
    purpose       text        NOT NULL CONSTRAINT reset_tokens_purpose CHECK (purpose IN ('reset', 'invitation')),
    -- SHA-256 of the token, to find the row by.
    token_hash    bytea       NOT NULL CONSTRAINT reset_tokens_hash_key UNIQUE,
    created_at    timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL,
    consumed_at   timestamptz,
    superseded_at timestamptz,
    CONSTRAINT reset_tokens_one_end CHECK (consumed_at IS NULL OR superseded_at IS NULL)
);
CREATE UNIQUE INDEX reset_tokens_one_live ON reset_tokens (user_id) WHERE consumed_at IS NULL AND superseded_at IS NULL;
CREATE INDEX reset_tokens_user ON reset_tokens (user_id, created_at DESC);

-- Asked-for codes and links, known address or not: the answer is given before anybody looks who it belongs to.
CREATE TABLE mail_requests (
    id           uuid        NOT NULL CONSTRAINT mail_requests_pkey PRIMARY KEY,
    kind         text        NOT NULL CONSTRAINT mail_requests_kind CHECK (kind IN ('code', 'reset')),
    email        text        NOT NULL,
    requested_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Browser family and address block from which an account signed in.
CREATE TABLE known_devices (
    user_id       uuid        NOT NULL CONSTRAINT known_devices_user_fkey REFERENCES users,
    family        text        NOT NULL,
    address_block text        NOT NULL,
    first_seen_at timestamptz NOT NULL,
    CONSTRAINT known_devices_pkey PRIMARY KEY (user_id, family, address_block)
);

-- How often passwords were tried in vain, by account, by address, by known place of an account.
CREATE TABLE login_throttles (
    key         text        NOT NULL CONSTRAINT login_throttles_pkey PRIMARY KEY,
    failures    integer     NOT NULL CONSTRAINT login_throttles_failures CHECK (failures >= 0),
    last_try_at timestamptz NOT NULL,
    open_at     timestamptz NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX login_throttles_last_try_at ON login_throttles (last_try_at);

-- What staff wrote about members: append-only.
CREATE TABLE member_notes (
    id        uuid        NOT NULL CONSTRAINT member_notes_pkey PRIMARY KEY,
    user_id   uuid        NOT NULL CONSTRAINT member_notes_user_fkey REFERENCES users,
    author_id uuid        NOT NULL CONSTRAINT member_notes_author_fkey REFERENCES users,
    at        timestamptz NOT NULL,
    text      text        NOT NULL CONSTRAINT member_notes_text_length CHECK (length(text) BETWEEN 1 AND 2000)
);
CREATE INDEX member_notes_user ON member_notes (user_id, id DESC);
CREATE TRIGGER member_notes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON member_notes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'auth') THEN
        REVOKE UPDATE, DELETE, TRUNCATE ON audit_rows, member_notes FROM auth;
    END IF;
END
$$;
