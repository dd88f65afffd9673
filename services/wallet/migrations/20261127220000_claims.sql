-- Who of staff works on which open transaction. Worth minutes, so that a crash may lose it.
CREATE UNLOGGED TABLE claims (
    transaction_id uuid        NOT NULL CONSTRAINT claims_pkey PRIMARY KEY,
    staff_id       uuid        NOT NULL,
    claimed_at     timestamptz NOT NULL
);
CREATE INDEX claims_claimed_at ON claims (claimed_at);

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        GRANT SELECT, INSERT, UPDATE, DELETE ON claims TO wallet;
    END IF;
END $$;
