-- The double-entry ledger. An entry raises the balance of its account; the entries of a posting sum to zero. Members'
-- accounts and revenues stand positive, settlement stands at minus what the platform holds.

CREATE TABLE accounts (
    id            bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT accounts_pkey PRIMARY KEY,
    kind          text   NOT NULL,
    -- The member; unset for the house.
    user_id       uuid,
    balance_cents bigint NOT NULL DEFAULT 0,
    entry_count   bigint NOT NULL DEFAULT 0,
    -- Hash of the newest entry.
    head_hash     bytea  NOT NULL DEFAULT '',
    CONSTRAINT accounts_owner UNIQUE NULLS NOT DISTINCT (user_id, kind),
    CONSTRAINT accounts_kind CHECK (
        CASE WHEN user_id IS NULL
        THEN kind IN ('settlement', 'course_revenue', 'fee_revenue', 'investment_pool', 'bonus_expense', 'adjustments')
        ELSE kind IN ('available', 'held', 'bonus', 'invested') END),
    CONSTRAINT accounts_members_not_negative CHECK (user_id IS NULL OR balance_cents >= 0)
) WITH (fillfactor = 90);

-- Everybody locks accounts in ascending id. The house's are the last, so that the rows that many postings share are
-- held for the shortest time.
INSERT INTO accounts (id, kind) OVERRIDING SYSTEM VALUE VALUES
    (4000000000000000001, 'settlement'),
    (4000000000000000002, 'course_revenue'),
    (4000000000000000003, 'fee_revenue'),
    (4000000000000000004, 'investment_pool'),
    (4000000000000000005, 'bonus_expense'),
    (4000000000000000006, 'adjustments');

CREATE TABLE postings (
    id             bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT postings_pkey PRIMARY KEY,
    kind           text        NOT NULL,
    -- What it settles: a transaction or a trade. With the kind, it is posted once.
    business_id    uuid        NOT NULL,
    -- The member concerned.
    user_id        uuid        NOT NULL,
    -- The line of the member's history it belongs to, if it has one.
    transaction_id uuid,
    -- Taken while the accounts are locked, so that it grows with the id within an account.
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT postings_once UNIQUE (kind, business_id)
);
CREATE UNIQUE INDEX postings_one_course_a_member ON postings (user_id) WHERE kind = 'course';

CREATE TABLE entries (
    account_id          bigint NOT NULL CONSTRAINT entries_account REFERENCES accounts,
    posting_id          bigint NOT NULL CONSTRAINT entries_posting REFERENCES postings,
    amount_cents        bigint NOT NULL CONSTRAINT entries_amount CHECK (amount_cents <> 0),
    balance_after_cents bigint NOT NULL,
    -- sha256(hash before || account_id || posting_id || amount_cents || balance_after_cents), numbers as int8send.
    hash                bytea  NOT NULL,
    CONSTRAINT entries_pkey PRIMARY KEY (account_id, posting_id)
);
CREATE INDEX entries_posting ON entries (posting_id) INCLUDE (amount_cents);

CREATE FUNCTION refuse_unbalanced_posting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT sum(amount_cents) FROM entries WHERE posting_id = NEW.posting_id) <> 0 THEN
        RAISE EXCEPTION 'the entries of posting % do not sum to zero', NEW.posting_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'entries_balanced';
    END IF;
    RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER entries_balanced AFTER INSERT ON entries
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_unbalanced_posting();

CREATE TRIGGER postings_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON postings
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        GRANT SELECT, INSERT, UPDATE ON accounts TO wallet;
        REVOKE DELETE, TRUNCATE ON accounts FROM wallet;
        GRANT SELECT, INSERT ON postings, entries TO wallet;
        REVOKE UPDATE, DELETE, TRUNCATE ON postings, entries FROM wallet;
    END IF;
END $$;
