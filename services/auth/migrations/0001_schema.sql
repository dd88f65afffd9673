-- Accounts, their sessions, and what proves who they are. No secret is stored in the clear: codes and link tokens are derived
-- from the id of their row by a key outside the database.

CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- What makes two spellings of a name one for a search: however its letters are composed, whichever case they have, which apostrophe,
-- and whether a sigma ends the word.
CREATE FUNCTION search_key(written text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT translate(lower(normalize(written)), '’ʼς', '''''σ')
$$;

-- The account of a member or of staff.
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
    -- Since when a staff account has its role; unset: since it was made. New staff wait before they decide.
    role_since    timestamptz,
    -- When its owner closed it.
    closed_at     timestamptz,
    -- The address of a closed account, once others may use it.
    former_email  text,
    -- When the personal data was removed.
    erased_at     timestamptz,
    CONSTRAINT users_members_have_passwords CHECK (role IS NOT NULL OR password_hash IS NOT NULL),
    CONSTRAINT users_only_staff_is_disabled CHECK (role IS NOT NULL OR disabled_at IS NULL),
    -- Passwords are kept as hashes alone. The auditor's role cannot read them to check that, so the database ensures it.
    CONSTRAINT users_password_hash CHECK (password_hash LIKE '$argon2id$%')
);
CREATE UNIQUE INDEX users_email_key ON users (lower(email));
CREATE INDEX users_pending_email ON users (lower(pending_email)) WHERE pending_email IS NOT NULL;
CREATE INDEX users_staff ON users (id) WHERE role IS NOT NULL;
-- Whether a stored photo is somebody's.
CREATE INDEX users_image ON users (image_key) WHERE image_key <> '';
-- Closed accounts that are not finished with.
CREATE INDEX users_closed ON users (closed_at) WHERE closed_at IS NOT NULL AND erased_at IS NULL;
-- Staff find members by a part of a name, address or phone number: indexes of the three letters that follow each other.
CREATE INDEX users_name_search
    ON users USING gin ((search_key(name)) gin_trgm_ops) WHERE role IS NULL;
CREATE INDEX users_email_search
    ON users USING gin ((lower(coalesce(former_email, email))) gin_trgm_ops) WHERE role IS NULL;
CREATE INDEX users_phone_search
    ON users USING gin ((translate(phone, '+ ()-', '')) gin_trgm_ops) WHERE role IS NULL;
-- One or two letters have no three: names that begin with them, the newest members first.
CREATE INDEX users_first_letter ON users ((left(search_key(name), 1)), id DESC) WHERE role IS NULL;
CREATE INDEX users_first_letters ON users ((left(search_key(name), 2)), id DESC) WHERE role IS NULL;

-- While an undo could give an address back to its owner, no other account gets it, whichever way it asks: by a registration, an
-- invitation or a change. Callers for one address wait for each other, so that each sees what the one before committed.
CREATE FUNCTION refuse_reserved_address() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    freed text := CASE TG_OP WHEN 'UPDATE' THEN lower(OLD.email) ELSE lower(NEW.email) END;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('address ' || least(freed, lower(NEW.email)), 0));
    PERFORM pg_advisory_xact_lock(hashtextextended('address ' || greatest(freed, lower(NEW.email)), 0));
    IF EXISTS (SELECT FROM security_links
        WHERE lower(email) = lower(NEW.email) AND purpose = 'undo' AND user_id <> NEW.id AND consumed_at IS NULL
            AND superseded_at IS NULL AND expires_at > clock_timestamp())
    THEN
        RAISE EXCEPTION 'the address of account % is reserved', NEW.id
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'users_email_key';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER users_address_not_reserved_insert BEFORE INSERT ON users
    FOR EACH ROW EXECUTE FUNCTION refuse_reserved_address();
CREATE TRIGGER users_address_not_reserved BEFORE UPDATE OF email ON users
    FOR EACH ROW WHEN (lower(NEW.email) <> lower(OLD.email)) EXECUTE FUNCTION refuse_reserved_address();

-- Updated by almost every request: vacuumed when a hundredth is dead.
CREATE TABLE sessions (
    id                    uuid        NOT NULL CONSTRAINT sessions_pkey PRIMARY KEY,
    user_id               uuid        NOT NULL CONSTRAINT sessions_user_fkey REFERENCES users,
    created_at            timestamptz NOT NULL,
    last_seen_at          timestamptz NOT NULL,
    -- When it ends unless used, and when it ends in any case.
    idle_until            timestamptz NOT NULL,
    expires_at            timestamptz NOT NULL,
    revoked_at            timestamptz,
    -- When a second factor was last given.
    stepped_up_at         timestamptz,
    device                text        NOT NULL,
    address               text        NOT NULL,
    -- Whether the second factor that was last given is a passkey.
    stepped_up_by_passkey boolean     NOT NULL DEFAULT false,
    -- The thumbprint of the key that a session is bound to (D-A10): its tokens are useless without the key.
    device_key            text,
    -- Since when the account has the factor that was last given in the session.
    factor_since          timestamptz,
    -- Passwords and second factors refused in a session since the last that was right: it ends at ten (D-A9).
    refused_proofs        smallint    NOT NULL DEFAULT 0,
    CONSTRAINT sessions_idle_within_life CHECK (idle_until <= expires_at)
) WITH (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000,
    autovacuum_analyze_scale_factor = 0.02
);
CREATE INDEX sessions_user ON sessions (user_id, last_seen_at DESC) WHERE revoked_at IS NULL;
CREATE INDEX sessions_expires_at ON sessions (expires_at);
-- A member's sessions, also those that have ended, for the download of their data.
CREATE INDEX sessions_owner ON sessions (user_id);

-- Six digits mailed to an address, to prove that its owner reads it.
CREATE TABLE codes (
    id               uuid        NOT NULL CONSTRAINT codes_pkey PRIMARY KEY,
    user_id          uuid        NOT NULL CONSTRAINT codes_user_fkey REFERENCES users,
    purpose          text        NOT NULL CONSTRAINT codes_purpose CHECK (purpose IN ('registration', 'email_change')),
    -- The address that it proves.
    email            text        NOT NULL,
    attempts         smallint    NOT NULL DEFAULT 0 CONSTRAINT codes_attempts CHECK (attempts BETWEEN 0 AND 5),
    created_at       timestamptz NOT NULL,
    expires_at       timestamptz NOT NULL,
    consumed_at      timestamptz,
    superseded_at    timestamptz,
    -- What a code was asked with: the request of a visitor, whose submissions are counted apart, so that they cost the owner
    -- of the account nothing.
    request_id       uuid,
    request_attempts smallint    NOT NULL DEFAULT 0,
    -- Who asked for it: the account itself (block unset) or a visitor from an address block, known to the account or a
    -- stranger's. Each has a share of its own (D-A2, D-S8), and what one of them asked for does not end the others'.
    block            text,
    is_strangers     boolean     NOT NULL DEFAULT false,
    CONSTRAINT codes_one_end CHECK (consumed_at IS NULL OR superseded_at IS NULL),
    CONSTRAINT codes_request_attempts CHECK (request_attempts BETWEEN 0 AND 5)
);
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
    -- Who asked, as for codes.
    block         text,
    is_strangers  boolean     NOT NULL DEFAULT false,
    CONSTRAINT reset_tokens_one_end CHECK (consumed_at IS NULL OR superseded_at IS NULL),
    -- As for passwords.
    CONSTRAINT reset_tokens_token_hash CHECK (length(token_hash) = 32)
);
CREATE INDEX reset_tokens_user ON reset_tokens (user_id, created_at DESC);

-- Asked-for codes and links, known address or not: the answer is given before its account is looked up.
CREATE TABLE mail_requests (
    id           uuid        NOT NULL CONSTRAINT mail_requests_pkey PRIMARY KEY,
    kind         text        NOT NULL CONSTRAINT mail_requests_kind CHECK (kind IN ('code', 'reset')),
    email        text        NOT NULL,
    requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Who asks: an account, by a session or a handle of it, or a visitor by a request of their own.
    user_id      uuid,
    request_id   uuid,
    -- The block of addresses that asks, or `unknown`.
    block        text        NOT NULL
) WITH (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.02
);

-- Links in security mails: to undo a change of email, and "This was not me". Their tokens are derived from the id by a key
-- outside the database.
CREATE TABLE security_links (
    id            uuid        NOT NULL CONSTRAINT security_links_pkey PRIMARY KEY,
    user_id       uuid        NOT NULL CONSTRAINT security_links_user_fkey REFERENCES users,
    purpose       text        NOT NULL CONSTRAINT security_links_purpose CHECK (purpose IN ('undo', 'not_me')),
    -- The address that it was mailed to, which an undo puts in force again.
    email         text        NOT NULL,
    created_at    timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL,
    consumed_at   timestamptz,
    superseded_at timestamptz,
    CONSTRAINT security_links_one_end CHECK (consumed_at IS NULL OR superseded_at IS NULL)
);
CREATE INDEX security_links_user ON security_links (user_id) WHERE consumed_at IS NULL AND superseded_at IS NULL;
-- While an undo is possible, nobody else gets the address.
CREATE INDEX security_links_undo_email ON security_links (lower(email))
    WHERE purpose = 'undo' AND consumed_at IS NULL AND superseded_at IS NULL;
CREATE INDEX security_links_expires_at ON security_links (expires_at);

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
-- The authenticators of an account; the unique indexes know only confirmed ones.
CREATE INDEX authenticators_user ON authenticators (user_id);

CREATE TABLE recovery_codes (
    user_id    uuid        NOT NULL CONSTRAINT recovery_codes_user_fkey REFERENCES users,
    -- HMAC by a key outside the database.
    code_hash  bytea       NOT NULL,
    used_at    timestamptz,
    -- How old a second factor is: one that was set up lately proves nothing.
    created_at timestamptz DEFAULT clock_timestamp(),
    CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, code_hash)
);

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
    -- How a browser reaches it, as the browser says.
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

-- Members who lost every second factor: what two people of the staff agreed to remove, and when. A factor that is used
-- before then calls it off.
CREATE TABLE factor_resets (
    user_id     uuid        NOT NULL CONSTRAINT factor_resets_pkey PRIMARY KEY
                            CONSTRAINT factor_resets_user_fkey REFERENCES users,
    -- The one that was confirmed.
    proposal_id uuid        NOT NULL CONSTRAINT factor_resets_proposal_fkey REFERENCES proposals,
    due_at      timestamptz NOT NULL
);
CREATE INDEX factor_resets_due ON factor_resets (due_at);

-- Browser family and address block from which an account signed in.
CREATE TABLE known_devices (
    user_id       uuid        NOT NULL CONSTRAINT known_devices_user_fkey REFERENCES users,
    family        text        NOT NULL,
    address_block text        NOT NULL,
    first_seen_at timestamptz NOT NULL,
    CONSTRAINT known_devices_pkey PRIMARY KEY (user_id, family, address_block)
);

-- The keys of devices that an account has logged in with (D-A10, D-R12). A device with a key is known by that alone, one
-- without by family and address block (known_devices).
CREATE TABLE known_keys (
    user_id       uuid        NOT NULL CONSTRAINT known_keys_user_fkey REFERENCES users,
    -- Thumbprint (RFC 7638).
    device_key    text        NOT NULL,
    -- Of the last login: browser and system family, and address block.
    family        text        NOT NULL,
    address_block text        NOT NULL,
    first_seen_at timestamptz NOT NULL,
    CONSTRAINT known_keys_pkey PRIMARY KEY (user_id, device_key)
);

-- Failed attempts at passwords, by account, by address, by known place of an account.
CREATE TABLE login_throttles (
    key         text        NOT NULL CONSTRAINT login_throttles_pkey PRIMARY KEY,
    failures    integer     NOT NULL CONSTRAINT login_throttles_failures CHECK (failures >= 0),
    last_try_at timestamptz NOT NULL,
    open_at     timestamptz NOT NULL,
    -- Until when the tries of a counter have faded.
    faded_at    timestamptz
) WITH (
    fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000,
    autovacuum_analyze_scale_factor = 0.02
);
CREATE INDEX login_throttles_last_try_at ON login_throttles (last_try_at);

-- What keeps payouts of an account waiting: no row while nothing ever did.
CREATE TABLE payout_safeguards (
    user_id             uuid        NOT NULL CONSTRAINT payout_safeguards_pkey PRIMARY KEY
                                    CONSTRAINT payout_safeguards_user_fkey REFERENCES users,
    email_changed_at    timestamptz,
    password_changed_at timestamptz,
    factors_changed_at  timestamptz,
    -- Payouts are approved from then on.
    not_before          timestamptz,
    -- Since when nothing is paid out, until a new password is set.
    stopped_at          timestamptz,
    -- When the owner last reported that someone else used the account.
    disowned_at         timestamptz
);

-- What happened to the security of accounts, for their owners and for staff. Kept for 13 months.
CREATE TABLE security_events (
    id      bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT security_events_pkey PRIMARY KEY,
    user_id uuid        NOT NULL CONSTRAINT security_events_user_fkey REFERENCES users,
    at      timestamptz NOT NULL,
    kind    text        NOT NULL CONSTRAINT security_events_kind CHECK (length(kind) BETWEEN 1 AND 50),
    -- Whether it was refused: a wrong password, a wrong second factor.
    refused boolean     NOT NULL,
    -- Browser and system family, and the block of the address; empty where staff or a link did it.
    device  text        NOT NULL CONSTRAINT security_events_device CHECK (length(device) <= 100),
    block   text        NOT NULL CONSTRAINT security_events_block CHECK (length(block) <= 50)
);
CREATE INDEX security_events_user ON security_events (user_id, id DESC);
CREATE INDEX security_events_at ON security_events USING brin (at);

-- What staff wrote about members: append-only.
CREATE TABLE member_notes (
    id        uuid        NOT NULL CONSTRAINT member_notes_pkey PRIMARY KEY,
    user_id   uuid        NOT NULL CONSTRAINT member_notes_user_fkey REFERENCES users,
    author_id uuid        NOT NULL CONSTRAINT member_notes_author_fkey REFERENCES users,
    at        timestamptz NOT NULL,
    text      text        NOT NULL CONSTRAINT member_notes_text_length CHECK (length(text) BETWEEN 1 AND 2000)
);
CREATE INDEX member_notes_user ON member_notes (user_id, id DESC);

CREATE TRIGGER member_notes_append_only BEFORE UPDATE OR TRUNCATE ON member_notes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Notes go with the personal data of a closed account, and are never changed.
CREATE FUNCTION refuse_unless_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM users WHERE id = OLD.user_id AND closed_at < clock_timestamp() - interval '30 days') THEN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END
$$;
CREATE TRIGGER member_notes_of_closed_accounts BEFORE DELETE ON member_notes
    FOR EACH ROW EXECUTE FUNCTION refuse_unless_closed();

-- From the owner's request until wallet has answered, so that a process that stops in between loses nothing.
CREATE TABLE account_closures (
    user_id        uuid        NOT NULL CONSTRAINT account_closures_pkey PRIMARY KEY
                               CONSTRAINT account_closures_user_fkey REFERENCES users,
    session_id     uuid        NOT NULL,
    requested_at   timestamptz NOT NULL,
    -- An account closes a day after its owner asked for it, so that the mailbox can call it off.
    due_at         timestamptz,
    -- When wallet was asked; from then on nothing calls it off.
    started_at     timestamptz,
    -- Whether the owner gives up the bonus by closing the account.
    gives_up_bonus boolean     NOT NULL DEFAULT false
);
CREATE INDEX account_closures_requested_at ON account_closures (requested_at);

-- In the order of their removal: other services remove what they keep of these members.
CREATE TABLE erased_members (
    id      bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT erased_members_pkey PRIMARY KEY,
    user_id uuid   NOT NULL CONSTRAINT erased_members_user_key UNIQUE CONSTRAINT erased_members_user_fkey REFERENCES users
);

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'auth') THEN
        REVOKE ALL ON payout_safeguards, security_events, member_notes, erased_members FROM auth;
        -- Nothing lets the service forget that an account changed.
        GRANT SELECT, INSERT, UPDATE ON payout_safeguards TO auth;
        -- Nothing that happened is rewritten; what is old is deleted.
        GRANT SELECT, INSERT, DELETE ON security_events TO auth;
        -- A trigger allows DELETE only for closed accounts.
        GRANT SELECT, INSERT, DELETE ON member_notes TO auth;
        GRANT SELECT, INSERT ON erased_members TO auth;
    END IF;
END $$;
