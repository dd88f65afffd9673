-- The check of the ledger, in steps whose cost does not depend on how much the ledger holds. Each step is one short
-- transaction and keeps how far it came, so that any process may take the next one.

-- The transaction that wrote a posting: those below the oldest running transaction are complete, which is not so of ids.
-- Unset for postings that are older than this column.
ALTER TABLE postings ADD COLUMN IF NOT EXISTS xid xid8;
ALTER TABLE postings ALTER COLUMN xid SET DEFAULT pg_current_xact_id();

-- How far the entries of an account are verified: its balance, count and hash after this posting.
CREATE TABLE account_checkpoints (
    account_id    bigint NOT NULL CONSTRAINT account_checkpoints_pkey PRIMARY KEY,
    posting_id    bigint NOT NULL,
    balance_cents bigint NOT NULL,
    entry_count   bigint NOT NULL,
    head_hash     bytea  NOT NULL
) WITH (fillfactor = 70);

-- Balances that two people had computed from the entries again. The chain goes on from here; the entries up to here count
-- by their sum, their number and their digest.
CREATE TABLE account_rebuilds (
    proposal_id          uuid        NOT NULL CONSTRAINT account_rebuilds_pkey PRIMARY KEY,
    account_id           bigint      NOT NULL,
    posting_id           bigint      NOT NULL,
    balance_cents        bigint      NOT NULL,
    entry_count          bigint      NOT NULL,
    head_hash            bytea       NOT NULL,
    -- SHA-256 over posting, amount and hash of each entry up to here.
    digest               bytea       NOT NULL,
    -- What the account said before.
    stored_balance_cents bigint      NOT NULL,
    stored_entry_count   bigint      NOT NULL,
    rebuilt_at           timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX account_rebuilds_account ON account_rebuilds (account_id, posting_id DESC);
CREATE TRIGGER account_rebuilds_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON account_rebuilds
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- What was found wrong, until it verifies again.
CREATE TABLE ledger_faults (
    id          bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT ledger_faults_pkey PRIMARY KEY,
    -- The account, the posting, the member (holds and investments), or the cause that should have been posted.
    subject     text        NOT NULL,
    subject_id  text        NOT NULL,
    detail      text        NOT NULL,
    -- What an account says above its entries.
    drift_cents bigint      NOT NULL DEFAULT 0,
    found_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    verified_at timestamptz,
    CONSTRAINT ledger_faults_subject CHECK (subject IN ('account', 'posting', 'member', 'cause'))
);
CREATE UNIQUE INDEX ledger_faults_open ON ledger_faults (subject, subject_id) WHERE verified_at IS NULL;

-- How far the check came: one row.
CREATE TABLE ledger_checks (
    is_only            boolean     NOT NULL DEFAULT true CONSTRAINT ledger_checks_pkey PRIMARY KEY
        CONSTRAINT ledger_checks_one CHECK (is_only),
    -- Every posting up to this transaction and id is checked.
    checked_xid        xid8        NOT NULL DEFAULT '0',
    checked_id         bigint      NOT NULL DEFAULT 0,
    -- The walk over everything from the first entry: accounts up to this one, or up to this entry of it; then postings.
    walk_account_id    bigint      NOT NULL DEFAULT 0,
    walk_checkpoint    account_checkpoints,
    walk_posting_id    bigint,
    walk_entries       bigint      NOT NULL DEFAULT 0,
    -- Entries of the walk before, and its end.
    walked_entries     bigint      NOT NULL DEFAULT 0,
    walked_at          timestamptz,
    -- When the last check ended that found no posting unchecked; unset while the first one runs.
    checked_at         timestamptz
);
INSERT INTO ledger_checks DEFAULT VALUES;


-- The service reads what was found; it writes it only through the functions of the check, which run as their owner.
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        GRANT SELECT ON account_checkpoints, account_rebuilds, ledger_faults, ledger_checks TO wallet;
        REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON account_checkpoints, account_rebuilds, ledger_faults, ledger_checks
            FROM wallet;
    END IF;
END $$;

-- The version before wrote its look here, by the rule for hashes before this one: it must stop nothing any more.
DELETE FROM book_checks;
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        REVOKE INSERT, UPDATE ON book_checks FROM wallet;
    END IF;
END $$;
