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

-- What keeps payouts of an account waiting: no row while nothing ever did.
CREATE TABLE payout_safeguards (
    user_id             uuid NOT NULL CONSTRAINT payout_safeguards_pkey PRIMARY KEY
                             CONSTRAINT payout_safeguards_user_fkey REFERENCES users,
    email_changed_at    timestamptz,
    password_changed_at timestamptz,
    factors_changed_at  timestamptz,
    -- Payouts are approved from then on.
    not_before          timestamptz,
    -- Since when nothing is paid out, until a new password is set.
    stopped_at          timestamptz
);
-- Nothing lets the service forget that an account changed.
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'auth') THEN
        REVOKE DELETE, TRUNCATE ON payout_safeguards FROM auth;
    END IF;
END $$;
