-- The double-entry ledger, what members and staff do with money, and what is published of it. The functions that move money are
-- in ../sql, applied after the migrations.

-- The number of this bucket of members, which the name of its schema says; that of the first is 0.
DO $$ BEGIN
    EXECUTE format('CREATE FUNCTION bucket() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS %L',
        'SELECT ' || coalesce(substring(current_schema() FROM '^wallet_(\d\d)$')::bigint, 0) || '::bigint');
END $$;

-- The rules of the ledger, whose rows are in ../sql/05_rules.sql: what causes a posting of each kind, and what it moves.
CREATE TABLE posting_kinds (
    kind             text   NOT NULL,
    -- Where the business id of the posting is found.
    cause_type       text   NOT NULL,
    -- The kind of that transaction or proposal, and the status that causes the posting.
    cause_kind       text,
    cause_status     text   NOT NULL,
    -- Which accounts lose and gain by it, and how much each: amounts of the cause by name (`named_amount`), unset for a posting
    -- that moves the opposite of another. Members' accounts are those of the posting's member.
    debits           text[] NOT NULL,
    debit_amounts    text[],
    credits          text[] NOT NULL,
    credit_amounts   text[],
    -- The statuses in which the cause may be afterwards.
    later_statuses   text[] NOT NULL DEFAULT '{}',
    -- For a fee: the statuses of its withdrawal, and whether its fee counts as paid.
    related_statuses text[],
    related_fee_paid boolean,
    -- The kinds of postings that one of this kind can reverse.
    reverses         text[],
    -- Whether the figures of the business count it: what members pay, are paid and buy, and what takes that back;
    -- not what the treasury moves.
    is_turnover      boolean NOT NULL DEFAULT false,
    CONSTRAINT posting_kinds_pkey PRIMARY KEY (kind, cause_type),
    CONSTRAINT posting_kinds_cause_type
        CHECK (cause_type IN ('transaction', 'purchase', 'trade', 'proposal', 'hold', 'closing', 'cash_transfer', 'unchecked'))
);

-- The accounts of the house, of members and of plans. An entry raises the balance of its account. Members' accounts and revenues
-- stand positive, settlement stands at minus what the platform holds.
-- Every posting updates its accounts in place: the few rows of the house thousands of times a minute, a member's now and then.
-- They are vacuumed after a fixed number of updates, however many members there are, and without pauses. A row grows by a half
-- with its first entry, whose hash it keeps, and the page still has to have room for its next version.
CREATE TABLE accounts (
    id            bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT accounts_pkey PRIMARY KEY,
    kind          text   NOT NULL,
    -- The member, or the plan; unset for the house.
    user_id       uuid,
    balance_cents bigint NOT NULL DEFAULT 0,
    entry_count   bigint NOT NULL DEFAULT 0,
    -- Hash of the newest entry.
    head_hash     bytea  NOT NULL DEFAULT '',
    CONSTRAINT accounts_owner UNIQUE NULLS NOT DISTINCT (user_id, kind),
    CONSTRAINT accounts_kind CHECK (
        CASE WHEN user_id IS NULL
        THEN kind IN ('settlement', 'course_revenue', 'fee_revenue', 'investment_pool', 'bonus_expense', 'adjustments',
            'capital', 'network_fees', 'transit')
        ELSE kind IN ('available', 'held', 'on_hold', 'bonus', 'invested', 'owed', 'plan_cash', 'plan_assets') END),
    -- What a member owes stands below zero in `owed`; everything else of a member's is never below zero. The cash of a plan pays
    -- gains and takes losses, and is never below zero; its assets stand below zero by what they cost, as settlement does by what
    -- is held.
    CONSTRAINT accounts_members_not_negative CHECK (
        user_id IS NULL OR CASE WHEN kind IN ('owed', 'plan_assets') THEN balance_cents <= 0 ELSE balance_cents >= 0 END)
) WITH (
    fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
    autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.02
);
-- Every movement asks whether its members owe something. Few do: an index of those answers at once.
CREATE INDEX accounts_owed ON accounts (user_id) WHERE kind = 'owed';
CREATE INDEX accounts_of_plans ON accounts (user_id) WHERE kind = 'plan_cash';

-- Everybody locks accounts in ascending id. Those of the house are the last, so that the rows that many postings share are
-- held for the shortest time. No two buckets have an account or a posting with the same id, and JSON keeps the ids of postings as
-- numbers.
INSERT INTO accounts (id, kind) OVERRIDING SYSTEM VALUE
    SELECT 4000000000000000000 + 100 * bucket() + number, kind
    FROM unnest('{settlement,course_revenue,fee_revenue,investment_pool,bonus_expense,adjustments,capital,network_fees,transit}'::text[])
        WITH ORDINALITY AS house (kind, number);
SELECT setval('accounts_id_seq', 100000000000000 * bucket() + 1, false) WHERE bucket() > 0;

-- The bucket in which the accounts of a member are, as `open_accounts` decided it once.
CREATE TABLE member_buckets (
    user_id uuid     NOT NULL CONSTRAINT member_buckets_pkey PRIMARY KEY,
    bucket  smallint NOT NULL CONSTRAINT member_buckets_bucket CHECK (bucket BETWEEN 0 AND 99)
);

CREATE TRIGGER member_buckets_append_only BEFORE UPDATE OR DELETE ON member_buckets
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER member_buckets_not_truncated BEFORE TRUNCATE ON member_buckets
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- How many of the buckets take new members: more only once every process of the service reads them, and never fewer.
CREATE TABLE open_buckets (
    count   smallint NOT NULL CONSTRAINT open_buckets_count CHECK (count BETWEEN 1 AND 64),
    is_only boolean  NOT NULL DEFAULT true CONSTRAINT open_buckets_pkey PRIMARY KEY CONSTRAINT open_buckets_is_only CHECK (is_only)
);
INSERT INTO open_buckets (count) VALUES (1);

CREATE TRIGGER accounts_stay BEFORE DELETE ON accounts
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER accounts_not_truncated BEFORE TRUNCATE ON accounts
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- An account stays whose and what it is.
CREATE FUNCTION refuse_other_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.kind, NEW.user_id) IS DISTINCT FROM (OLD.id, OLD.kind, OLD.user_id) THEN
        RAISE EXCEPTION 'account % stays what it is', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'accounts_stay';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER accounts_stay_the_same BEFORE UPDATE OF id, kind, user_id ON accounts
    FOR EACH ROW EXECUTE FUNCTION refuse_other_account();

-- A movement of money with its cause, written by the functions of the ledger alone.
-- Only inserted, as entries are: frozen in small steps instead of all at once, and counted before plans go wrong.
CREATE TABLE postings (
    id             bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT postings_pkey PRIMARY KEY,
    kind           text        NOT NULL,
    -- Its cause, e.g. a transaction or a trade. With the kind, it is posted once.
    business_id    uuid        NOT NULL,
    -- The member concerned.
    user_id        uuid        NOT NULL,
    -- The line of the member's history it belongs to, if it has one.
    transaction_id uuid,
    -- Taken while the accounts are locked, so that it grows with the id within an account.
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The transaction that wrote a posting: those below the oldest running transaction are complete, which is not so of ids.
    xid            xid8        NOT NULL DEFAULT pg_current_xact_id(),
    -- What the business id names, as in posting_kinds.
    cause_type     text,
    -- The posting that this one takes back, once.
    reverses       bigint,
    -- Looked up by the id, of which no two are alike. With the kind first, every look-up would compare texts.
    CONSTRAINT postings_once UNIQUE (business_id, kind)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.01);
SELECT setval('postings_id_seq', 100000000000000 * bucket() + 1, false) WHERE bucket() > 0;
CREATE INDEX postings_xid ON postings (xid, id);
CREATE UNIQUE INDEX postings_reversed_once ON postings (reverses) WHERE reverses IS NOT NULL;
-- Finds what a correction moved: its cause is a proposal, which its line does not name.
CREATE INDEX postings_of_corrections ON postings (transaction_id)
    WHERE cause_type = 'proposal';
-- Finds what a member paid for the course. Not unique: a member may buy the course again after a refund; post_movements
-- checks this under the lock of the member's account.
CREATE INDEX postings_of_courses ON postings (user_id) WHERE kind = 'course';
-- Finds the posting of a line that may be undone.
CREATE INDEX postings_undoable ON postings (transaction_id)
    WHERE kind IN ('deposit', 'course', 'fee', 'fee_credit', 'course_credit', 'adjustment_credit', 'release');

CREATE TRIGGER postings_append_only BEFORE UPDATE OR DELETE ON postings
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER postings_not_truncated BEFORE TRUNCATE ON postings
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- What a posting adds to its accounts; the entries of a posting sum to zero. Foreign keys to both would be a quarter of what a
-- transfer costs the database: the audit checks them instead, and neither accounts nor postings can be deleted.
CREATE TABLE entries (
    account_id          bigint NOT NULL,
    posting_id          bigint NOT NULL,
    amount_cents        bigint NOT NULL CONSTRAINT entries_amount CHECK (amount_cents <> 0),
    balance_after_cents bigint NOT NULL,
    -- sha256(hash before || account_id || posting_id || amount_cents || balance_after_cents), numbers as int8send.
    hash                bytea  NOT NULL,
    CONSTRAINT entries_pkey PRIMARY KEY (account_id, posting_id)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.01);
-- Finds the entries of a range of postings. Entries are written in the order of their postings, near enough for a BRIN
-- index, which costs a posting next to nothing.
CREATE INDEX entries_postings ON entries USING brin (posting_id)
    WITH (pages_per_range = 16, autosummarize = on);

CREATE TRIGGER entries_append_only BEFORE UPDATE OR DELETE ON entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER entries_not_truncated BEFORE TRUNCATE ON entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A posting is written by one statement, so its balance shows in what the statement wrote. A check of each entry when its
-- transaction ends would cost as much as the rest.
CREATE FUNCTION refuse_unbalanced_postings() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    unbalanced bigint := (SELECT posting_id FROM written GROUP BY posting_id HAVING sum(amount_cents) <> 0 LIMIT 1);
BEGIN
    IF unbalanced IS NOT NULL THEN
        RAISE EXCEPTION 'the entries of posting % do not sum to zero', unbalanced
            USING ERRCODE = 'check_violation', CONSTRAINT = 'entries_balanced';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER entries_balanced AFTER INSERT ON entries REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_unbalanced_postings();

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

CREATE TRIGGER account_rebuilds_append_only BEFORE UPDATE OR DELETE ON account_rebuilds
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER account_rebuilds_not_truncated BEFORE TRUNCATE ON account_rebuilds
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- How far the check of the ledger came: one row. It goes in steps, each a short transaction whose cost does not depend on how
-- much the ledger holds, so that any process can take the next one.
CREATE TABLE ledger_checks (
    is_only         boolean             NOT NULL DEFAULT true CONSTRAINT ledger_checks_pkey PRIMARY KEY
                                        CONSTRAINT ledger_checks_one CHECK (is_only),
    -- Every posting up to this transaction and id is checked.
    checked_xid     xid8                NOT NULL DEFAULT '0',
    checked_id      bigint              NOT NULL DEFAULT 0,
    -- The walk over everything from the first entry: accounts up to this one, or up to this entry of it; then postings.
    walk_account_id bigint              NOT NULL DEFAULT 0,
    walk_checkpoint account_checkpoints,
    walk_posting_id bigint,
    walk_entries    bigint              NOT NULL DEFAULT 0,
    -- Entries of the walk before, and its end.
    walked_entries  bigint              NOT NULL DEFAULT 0,
    walked_at       timestamptz,
    -- When the last check ended that found no posting unchecked; unset while the first one runs.
    checked_at      timestamptz
);

INSERT INTO ledger_checks DEFAULT VALUES;

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

-- What makes two addresses one: small letters where case says nothing, in hexadecimal digits and bech32 in capitals. In base58
-- two addresses may differ by case alone. As in payment-method.
CREATE FUNCTION address_key(address text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN address ~ '^(0[xX][0-9A-Fa-f]+|BC1[0-9A-Z]+)$' THEN lower(address) ELSE address END
$$;

-- The lines of members' histories, and what staff decides on.
CREATE TABLE transactions (
    id                   uuid          NOT NULL CONSTRAINT transactions_pkey PRIMARY KEY,
    user_id              uuid          NOT NULL,
    kind                 text          NOT NULL,
    description          text          NOT NULL,
    status               text          NOT NULL,
    direction            text          NOT NULL,
    amount_cents         bigint        NOT NULL,
    claimed_amount_cents bigint,
    fee_cents            bigint,
    net_amount_cents     bigint,
    fee_paid             boolean       NOT NULL DEFAULT false,
    -- The method as it was shown.
    method_id            uuid,
    currency             text,
    network              text,
    method_address       text,
    method_memo          text,
    method_version       integer,
    -- Where a withdrawal goes.
    destination_address  text,
    destination_memo     text,
    receipt_key          text,
    receipt_content_type text,
    receipt_digest       bytea,
    -- As the member says; never unique, or one member could block another's payment.
    claimed_txid         text,
    -- As staff confirmed, and in the form in which equal ones are equal.
    txid                 text,
    txid_key             text,
    reason_code          text,
    approved_by          uuid,
    approved_at          timestamptz,
    decided_by           uuid,
    decided_at           timestamptz,
    -- Fees: the withdrawal. Trades and profits: the trade.
    related_id           uuid,
    revision             integer       NOT NULL DEFAULT 1,
    created_at           timestamptz   NOT NULL,
    -- Which output of the blockchain transaction; unset: all of it.
    vout                 bigint,
    -- The treasurer who is paying a withdrawal, until when.
    paying_by            uuid,
    paying_until         timestamptz,
    -- The first of two approvals of a deposit: it records what was received, and reserves the txid.
    first_approved_by    uuid,
    first_approved_at    timestamptz,
    received_cents       bigint,
    -- The quote that a deposit or withdrawal was requested with: which asset, how many of its smallest unit, at which rate.
    quote_id             uuid,
    asset                text,
    asset_decimals       smallint,
    -- Of a withdrawal, what is paid out.
    units                numeric(39,0),
    -- Millionths of a dollar for a whole unit, before the spread.
    rate_micros          bigint,
    spread_bps           smallint,
    quoted_at            timestamptz,
    quote_expires_at     timestamptz,
    -- Whether the chain proves a payment, as its approval noted it; unset for other transactions.
    is_proven            boolean,
    -- What a payout sends: fixed when its payment begins, at the rate of that moment. Its asset is the currency, which the approval
    -- fixed. The contract is that of a token; empty for the coin of the chain.
    payout_contract      text,
    payout_decimals      smallint,
    -- In the smallest unit.
    payout_units         numeric(39,0),
    -- Millionths of a dollar for a whole unit, before the spread.
    payout_rate_micros   bigint,
    payout_spread_bps    smallint,
    payout_priced_at     timestamptz,
    -- The treasurer who wrote the hash of the payout, and when. It is pending until its payment is final.
    sent_by              uuid,
    sent_at              timestamptz,
    CONSTRAINT transactions_kind CHECK (
        kind IN ('deposit', 'withdrawal', 'trade', 'profit', 'course', 'bonus', 'fee', 'adjustment')),
    CONSTRAINT transactions_status CHECK (status IN ('pending', 'success', 'failed')),
    CONSTRAINT transactions_direction CHECK (direction IN ('credit', 'debit')),
    CONSTRAINT transactions_amount CHECK (amount_cents > 0),
    CONSTRAINT transactions_decided CHECK ((status = 'pending') = (decided_at IS NULL)),
    CONSTRAINT transactions_reason CHECK ((status = 'failed') = (reason_code IS NOT NULL)),
    CONSTRAINT transactions_approval CHECK ((approved_by IS NULL) = (approved_at IS NULL)),
    -- Money that came from outside is confirmed by a person, with its txid.
    CONSTRAINT transactions_confirmed CHECK (
        status <> 'success' OR NOT (kind IN ('deposit', 'fee') OR kind = 'course' AND method_id IS NOT NULL)
        OR (txid IS NOT NULL AND decided_by IS NOT NULL)),
    CONSTRAINT transactions_net CHECK (kind <> 'withdrawal' OR coalesce(
        fee_cents >= 0 AND net_amount_cents = CASE WHEN fee_paid THEN amount_cents ELSE amount_cents - fee_cents END, false)),
    CONSTRAINT transactions_paid CHECK (kind <> 'withdrawal' OR status <> 'success' OR (
        approved_by IS NOT NULL AND decided_by IS NOT NULL AND txid IS NOT NULL AND destination_address IS NOT NULL)),
    CONSTRAINT transactions_vout CHECK (vout IS NULL OR txid IS NOT NULL AND vout BETWEEN 0 AND 4294967295),
    CONSTRAINT transactions_paying CHECK ((paying_by IS NULL) = (paying_until IS NULL)
        AND (paying_by IS NULL OR kind = 'withdrawal' AND approved_by IS NOT NULL)),
    -- From $1,000.00 nobody both approves and pays; a deposit that takes two reviewers is not decided by the first.
    CONSTRAINT transactions_two_people CHECK (status <> 'success' OR CASE kind
        WHEN 'withdrawal' THEN amount_cents < 100000 OR approved_by <> decided_by
        ELSE first_approved_by IS NULL OR first_approved_by <> decided_by END),
    CONSTRAINT transactions_quote CHECK (CASE
        WHEN quote_id IS NULL THEN num_nonnulls(asset, asset_decimals, units, rate_micros, spread_bps, quoted_at,
            quote_expires_at) = 0
        ELSE kind IN ('deposit', 'course', 'withdrawal') AND method_id IS NOT NULL AND coalesce(units > 0 AND rate_micros > 0
            AND asset_decimals BETWEEN 0 AND 18 AND spread_bps BETWEEN 0 AND 9999 AND quote_expires_at > quoted_at
            AND asset <> '', false)
        END),
    CONSTRAINT transactions_first_approval CHECK ((first_approved_by IS NULL) = (first_approved_at IS NULL)
        AND (first_approved_by IS NULL) = (received_cents IS NULL)
        AND (first_approved_by IS NULL OR kind IN ('deposit', 'course', 'fee') AND txid IS NOT NULL AND received_cents > 0)),
    -- A quote is of the asset that is paid.
    CONSTRAINT transactions_quote_asset CHECK (quote_id IS NULL OR coalesce(asset = currency, false)),
    -- The net amount at the rate plus the spread, rounded down.
    CONSTRAINT transactions_payout CHECK (CASE
        WHEN payout_units IS NULL THEN num_nonnulls(payout_contract, payout_decimals, payout_rate_micros, payout_spread_bps,
            payout_priced_at) = 0
        ELSE kind = 'withdrawal' AND approved_by IS NOT NULL AND payout_contract IS NOT NULL AND payout_priced_at IS NOT NULL
            AND coalesce(payout_units > 0 AND payout_rate_micros > 0 AND payout_decimals BETWEEN 0 AND 18
                AND payout_spread_bps BETWEEN 0 AND 9999
                AND payout_units = div(net_amount_cents * 10::numeric ^ payout_decimals * 100000000,
                    payout_rate_micros::numeric * (10000 + payout_spread_bps)), false)
        END),
    CONSTRAINT transactions_txid CHECK ((txid IS NULL) = (txid_key IS NULL) AND (txid IS NULL OR status = 'success'
        OR status = 'pending' AND (first_approved_by IS NOT NULL OR sent_by IS NOT NULL))),
    -- What is on its way neither fails nor loses its hash.
    CONSTRAINT transactions_sent CHECK ((sent_by IS NULL) = (sent_at IS NULL) AND (sent_by IS NULL
        OR kind = 'withdrawal' AND approved_by IS NOT NULL AND txid IS NOT NULL AND status <> 'failed'))
) WITH (
    fillfactor = 90, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000,
    autovacuum_analyze_scale_factor = 0.01
);
CREATE INDEX transactions_history ON transactions (user_id, created_at DESC, id DESC);
CREATE INDEX transactions_newest ON transactions (created_at DESC, id DESC);
CREATE INDEX transactions_related ON transactions (related_id) WHERE related_id IS NOT NULL;
CREATE INDEX transactions_receipt ON transactions (receipt_digest) WHERE receipt_digest IS NOT NULL;
CREATE INDEX transactions_claimed_txid ON transactions (claimed_txid) WHERE claimed_txid IS NOT NULL;
CREATE INDEX transactions_txid ON transactions (txid_key) WHERE txid_key IS NOT NULL;
-- With the collation of the rules in sql/10_causes.sql.
CREATE UNIQUE INDEX transactions_one_open_withdrawal ON transactions (user_id)
    WHERE kind = 'withdrawal' COLLATE "C" AND status = 'pending' COLLATE "C";
CREATE UNIQUE INDEX transactions_one_pending_course ON transactions (user_id)
    WHERE kind = 'course' COLLATE "C" AND status = 'pending' COLLATE "C";
CREATE INDEX transactions_counted_withdrawals ON transactions (user_id, created_at)
    INCLUDE (amount_cents) WHERE kind = 'withdrawal' COLLATE "C" AND status <> 'failed' COLLATE "C";
CREATE UNIQUE INDEX transactions_one_pending_fee ON transactions (related_id)
    WHERE kind = 'fee' AND status = 'pending';
-- What staff handled lately: a withdrawal counts again when it is paid. Requests enter it when they are decided.
CREATE INDEX transactions_handled ON transactions (greatest(approved_at, decided_at))
    WHERE kind IN ('deposit', 'course', 'fee', 'withdrawal') AND greatest(approved_at, decided_at) IS NOT NULL;
-- Staff's list of what waits, and of what was rejected.
CREATE INDEX transactions_not_successful
    ON transactions (status, created_at DESC, id DESC) WHERE status <> 'success';
-- What staff look for by kind, amount or destination: a request is found among what waits until it is decided, and enters these
-- then. Its decision would enter it into each of them once more. Amounts are those of payments and of what staff posted: what
-- trades move is found by the member or the trade.
CREATE INDEX transactions_kind ON transactions (kind, created_at DESC, id DESC) WHERE status <> 'pending';
CREATE INDEX transactions_amount ON transactions (amount_cents, created_at DESC, id DESC)
    WHERE status <> 'pending' AND kind <> 'trade' AND kind <> 'profit';
-- A payout is also found by what it sends, which is less than its amount by the fee.
CREATE INDEX transactions_net_amount ON transactions (net_amount_cents, created_at DESC, id DESC)
    WHERE status <> 'pending' AND kind = 'withdrawal';
CREATE INDEX transactions_destination ON transactions (address_key(destination_address))
    WHERE destination_address IS NOT NULL AND status <> 'pending';
-- Staff's search for payments to an address of the platform; a withdrawal goes elsewhere.
CREATE INDEX transactions_method_address ON transactions (address_key(method_address), created_at DESC, id DESC)
    WHERE method_address IS NOT NULL AND kind <> 'withdrawal';
-- Whether a stored receipt belongs to a payment.
CREATE INDEX transactions_receipt_key ON transactions (receipt_key)
    WHERE receipt_key IS NOT NULL;
-- A quote serves once.
CREATE UNIQUE INDEX transactions_quote_once ON transactions (quote_id)
    WHERE quote_id IS NOT NULL;
-- What was approved within a day without the proof of a chain.
CREATE INDEX transactions_unproven ON transactions (decided_at) WHERE NOT is_proven;
CREATE INDEX transactions_on_their_way ON transactions (sent_at)
    WHERE sent_at IS NOT NULL AND status = 'pending';

-- A transaction is decided once.
CREATE FUNCTION refuse_second_decision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.status <> 'pending' THEN
        RAISE EXCEPTION 'transaction % is history', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'transactions_decided_once';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER transactions_decided_once BEFORE UPDATE OR DELETE ON transactions
    FOR EACH ROW EXECUTE FUNCTION refuse_second_decision();

-- The approval of a withdrawal freezes what is paid out, in units of the asset too, and where.
CREATE FUNCTION refuse_other_payout() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.user_id, NEW.kind, NEW.amount_cents, NEW.fee_cents, NEW.net_amount_cents, NEW.currency, NEW.network,
        NEW.destination_address, NEW.destination_memo, NEW.approved_by, NEW.approved_at, NEW.units)
       IS DISTINCT FROM
       (OLD.user_id, OLD.kind, OLD.amount_cents, OLD.fee_cents, OLD.net_amount_cents, OLD.currency, OLD.network,
        OLD.destination_address, OLD.destination_memo, OLD.approved_by, OLD.approved_at, OLD.units) THEN
        RAISE EXCEPTION 'withdrawal % is approved', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'transactions_paid_as_approved';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER transactions_paid_as_approved BEFORE UPDATE ON transactions
    FOR EACH ROW WHEN (OLD.kind = 'withdrawal' AND OLD.approved_by IS NOT NULL) EXECUTE FUNCTION refuse_other_payout();

-- While somebody pays a withdrawal, nobody else ends it or pays it.
CREATE FUNCTION refuse_other_payer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'withdrawal % is being paid', OLD.id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'transactions_two_people';
END
$$;
CREATE TRIGGER transactions_paid_by_one BEFORE UPDATE ON transactions
    FOR EACH ROW WHEN (OLD.paying_until > transaction_timestamp() AND OLD.status = 'pending' AND CASE NEW.status
        WHEN 'pending' THEN NEW.paying_by IS DISTINCT FROM OLD.paying_by
        ELSE NEW.decided_by IS DISTINCT FROM OLD.paying_by END)
    EXECUTE FUNCTION refuse_other_payer();

-- The second approval confirms what the first one recorded; a rejection ends the reservation.
CREATE FUNCTION keep_first_approval() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status = 'failed' THEN
        NEW.txid := NULL;
        NEW.txid_key := NULL;
        NEW.vout := NULL;
        NEW.first_approved_by := NULL;
        NEW.first_approved_at := NULL;
        NEW.received_cents := NULL;
    ELSIF (NEW.txid_key, NEW.vout, NEW.first_approved_by, NEW.first_approved_at, NEW.received_cents)
        IS DISTINCT FROM (OLD.txid_key, OLD.vout, OLD.first_approved_by, OLD.first_approved_at, OLD.received_cents)
        OR NEW.status = 'success' AND NEW.amount_cents <> OLD.received_cents
    THEN
        RAISE EXCEPTION 'deposit % was approved otherwise before', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'transactions_two_people';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER transactions_approved_as_before BEFORE UPDATE ON transactions
    FOR EACH ROW WHEN (OLD.status = 'pending' AND OLD.first_approved_by IS NOT NULL) EXECUTE FUNCTION keep_first_approval();

-- No withdrawal is approved whose destination its member has not confirmed.
CREATE FUNCTION refuse_unconfirmed_destination() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM destinations WHERE user_id = NEW.user_id
        AND key = destination_key(NEW.currency, NEW.network, NEW.destination_address, NEW.destination_memo))
    THEN
        RAISE EXCEPTION 'the destination of withdrawal % is not confirmed', NEW.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'transactions_destination_known';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER transactions_destination_known BEFORE UPDATE ON transactions FOR EACH ROW
    WHEN (NEW.kind = 'withdrawal' AND NEW.approved_by IS NOT NULL AND OLD.approved_by IS NULL)
    EXECUTE FUNCTION refuse_unconfirmed_destination();

-- A quote stays as it was used. Only that the fee of a withdrawal was paid from outside changes what is paid out.
CREATE FUNCTION refuse_other_quote() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the quote of transaction % is used', OLD.id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'transactions_quote_kept';
END
$$;
CREATE TRIGGER transactions_quote_kept BEFORE UPDATE ON transactions FOR EACH ROW
    WHEN ((NEW.quote_id, NEW.asset, NEW.asset_decimals, NEW.rate_micros, NEW.spread_bps, NEW.quoted_at,
            NEW.quote_expires_at)
        IS DISTINCT FROM (OLD.quote_id, OLD.asset, OLD.asset_decimals, OLD.rate_micros, OLD.spread_bps, OLD.quoted_at,
            OLD.quote_expires_at)
        OR NEW.units IS DISTINCT FROM OLD.units AND NEW.fee_paid = OLD.fee_paid)
    EXECUTE FUNCTION refuse_other_quote();

-- Closing a wallet and opening something in it both lock the member's available account first, so that one of them sees the
-- other.
CREATE FUNCTION refuse_in_closed_wallet() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    -- Not a join, which may be planned as a sequential scan. One look for all rows: one per row took a tenth of the time of a
    -- withdrawal.
    closed uuid := (SELECT user_id FROM written WHERE status = 'pending'
        AND (SELECT true FROM closed_wallets WHERE closed_wallets.user_id = written.user_id) LIMIT 1);
BEGIN
    IF closed IS NOT NULL THEN
        RAISE EXCEPTION 'the wallet of % is closed', closed
            USING ERRCODE = 'check_violation', CONSTRAINT = 'transactions_wallet_open';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER transactions_wallet_open AFTER INSERT ON transactions REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_closed_wallet();

-- A transaction with a hash has consumed at least one payment: that of its hash and output. A hash that is taken away frees it.
CREATE FUNCTION consume_payment() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE consumed_payments SET freed_at = clock_timestamp()
        WHERE transaction_id = NEW.id AND freed_at IS NULL AND txid IS DISTINCT FROM NEW.txid_key;
    IF NEW.txid_key IS NOT NULL AND NOT EXISTS (
        SELECT FROM consumed_payments WHERE transaction_id = NEW.id AND freed_at IS NULL)
    THEN
        INSERT INTO consumed_payments (chain, txid, vout, direction, transaction_id, consumed_at)
        VALUES (payment_chain(NEW.network), NEW.txid_key, coalesce(NEW.vout, -1),
            CASE NEW.kind WHEN 'withdrawal' THEN 'out' ELSE 'in' END, NEW.id, clock_timestamp());
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER transactions_consume AFTER UPDATE ON transactions
    FOR EACH ROW WHEN ((NEW.txid_key, NEW.vout) IS DISTINCT FROM (OLD.txid_key, OLD.vout))
    EXECUTE FUNCTION consume_payment();

-- Only a new lease changes what a payout sends. It is never taken away, and what was paid without a lease gets it then.
CREATE FUNCTION refuse_other_price() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the payout of withdrawal % is fixed', OLD.id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'transactions_paid_as_leased';
END
$$;
CREATE TRIGGER transactions_paid_as_leased BEFORE UPDATE ON transactions FOR EACH ROW
    WHEN (OLD.payout_units IS NOT NULL
        AND (NEW.payout_contract, NEW.payout_decimals, NEW.payout_units, NEW.payout_rate_micros, NEW.payout_spread_bps,
            NEW.payout_priced_at)
        IS DISTINCT FROM (OLD.payout_contract, OLD.payout_decimals, OLD.payout_units, OLD.payout_rate_micros,
            OLD.payout_spread_bps, OLD.payout_priced_at)
        AND (NEW.payout_units IS NULL OR NEW.status <> 'pending' OR NEW.paying_until IS NOT DISTINCT FROM OLD.paying_until))
    EXECUTE FUNCTION refuse_other_price();

-- The chain that a network is on: as chassis::network names it, else the name without case, blanks and punctuation.
CREATE FUNCTION payment_chain(network text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN name IN ('btc', 'bitcoinnetwork', 'bitcoinmainnet', 'bitcoinbtc', 'btcbitcoin',
            'bitcoinsegwit', 'btcsegwit', 'segwit', 'nativesegwit', 'taproot', 'bitcointaproot') THEN 'bitcoin'
        WHEN name IN ('erc20', 'eth', 'ethereumerc20', 'ethereumnetwork', 'ethereummainnet', 'etherc20',
            'erc20ethereum', 'ethereumeth') THEN 'ethereum'
        WHEN name IN ('bep20', 'bsc', 'bnb', 'bnbchain', 'binancesmartchain', 'bnbsmartchainbep20',
            'bscbep20', 'bep20bsc', 'binancesmartchainbep20', 'binancesmartchainbsc', 'bnbchainbep20') THEN
            'bnbsmartchain'
        WHEN name IN ('matic', 'pol', 'polygonpos', 'polygonmatic', 'polygonpol', 'maticpolygon') THEN 'polygon'
        WHEN name IN ('arbitrumone', 'arb', 'arbone') THEN 'arbitrum'
        WHEN name IN ('op', 'opmainnet', 'optimismop') THEN 'optimism'
        WHEN name IN ('basemainnet') THEN 'base'
        WHEN name IN ('avalanchec', 'avalanchecchain', 'avax', 'avaxc', 'avaxcchain', 'cchain') THEN 'avalanche'
        WHEN name IN ('ftm', 'fantomopera') THEN 'fantom'
        WHEN name IN ('gnosischain', 'xdai') THEN 'gnosis'
        WHEN name IN ('trc20', 'trx', 'trontrc20', 'trc20tron', 'trxtrc20', 'tronnetwork') THEN 'tron'
        ELSE name END
    FROM (SELECT lower(regexp_replace(network, '[^[:alnum:]]', '', 'g')) AS name) AS squashed
$$;

-- A payment on a chain is an output of a blockchain transaction. What is decided about a deposit, a fee, the course or a payout
-- consumes the outputs that it names, each at most once, whichever way the money goes.
CREATE TABLE consumed_payments (
    chain          text          NOT NULL,
    -- As the column txid_key of transactions.
    txid           text          NOT NULL,
    -- The output; -1 for the whole blockchain transaction, where its outputs are not known.
    vout           bigint        NOT NULL,
    direction      text          NOT NULL,
    transaction_id uuid          NOT NULL,
    -- What the chain shows; unset where it is not observed.
    asset          text,
    units          numeric(39,0),
    consumed_at    timestamptz   NOT NULL,
    -- Since when it does not count: a first approval was rejected, a hash corrected, or the posting reversed.
    freed_at       timestamptz,
    -- Since when payment-method knows that the payment is consumed: it then reports when that does not count any more.
    told_at        timestamptz,
    CONSTRAINT consumed_payments_pkey PRIMARY KEY (chain, txid, vout, consumed_at),
    CONSTRAINT consumed_payments_vout CHECK (vout BETWEEN -1 AND 4294967295),
    CONSTRAINT consumed_payments_direction CHECK (direction IN ('in', 'out')),
    CONSTRAINT consumed_payments_units CHECK ((asset IS NULL) = (units IS NULL) AND units > 0 AND (units IS NULL OR vout >= 0)),
    CONSTRAINT consumed_payments_freed CHECK (freed_at >= consumed_at)
);
CREATE UNIQUE INDEX consumed_payments_once ON consumed_payments (chain, txid, vout) WHERE freed_at IS NULL;
CREATE INDEX consumed_payments_transaction ON consumed_payments (transaction_id);
CREATE INDEX consumed_payments_to_tell ON consumed_payments (consumed_at) WHERE told_at IS NULL AND units IS NOT NULL;

-- Nothing counts beside a use of the whole blockchain transaction.
CREATE FUNCTION refuse_consumed_payment() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    -- Waits for a use of the same transaction that has not committed yet.
    PERFORM pg_advisory_xact_lock(hashtextextended(NEW.chain || ' ' || NEW.txid, 0));
    IF EXISTS (SELECT FROM consumed_payments AS other
        WHERE other.chain = NEW.chain AND other.txid = NEW.txid AND other.freed_at IS NULL
            AND (other.vout = NEW.vout OR other.vout = -1 OR NEW.vout = -1))
    THEN
        RAISE EXCEPTION 'the payment of transaction % is consumed', NEW.transaction_id USING ERRCODE = 'unique_violation',
            CONSTRAINT = CASE NEW.direction WHEN 'out' THEN 'transactions_txid_out' ELSE 'transactions_txid_in' END;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER consumed_payments_refuse BEFORE INSERT ON consumed_payments
    FOR EACH ROW EXECUTE FUNCTION refuse_consumed_payment();

-- Nothing is forgotten: a row is freed once, and else stays as it is. A payment that was reported to payment-method stays reported,
-- also when it was freed meanwhile.
CREATE FUNCTION keep_consumed_payments() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.told_at IS NOT NULL AND NEW.told_at IS DISTINCT FROM OLD.told_at
        OR OLD.freed_at IS NOT NULL AND (NEW.freed_at IS DISTINCT FROM OLD.freed_at OR NEW.told_at IS NOT DISTINCT FROM OLD.told_at)
        OR (NEW.chain, NEW.txid, NEW.vout, NEW.direction, NEW.transaction_id, NEW.asset, NEW.units, NEW.consumed_at)
            IS DISTINCT FROM (OLD.chain, OLD.txid, OLD.vout, OLD.direction, OLD.transaction_id, OLD.asset, OLD.units, OLD.consumed_at)
    THEN
        RAISE EXCEPTION 'the payment of transaction % stays consumed as it is', OLD.transaction_id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'consumed_payments_kept';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER consumed_payments_kept BEFORE UPDATE OR DELETE ON consumed_payments
    FOR EACH ROW EXECUTE FUNCTION keep_consumed_payments();

-- What the payments that payment-method knows to be consumed come to. It keeps the same sums; they are compared every minute.
CREATE TABLE consumed_totals (
    chain     text          NOT NULL,
    asset     text          NOT NULL,
    direction text          NOT NULL,
    payments  bigint        NOT NULL,
    -- In the smallest unit.
    units     numeric(48,0) NOT NULL,
    CONSTRAINT consumed_totals_pkey PRIMARY KEY (chain, asset, direction)
);

-- The only way to change them: the service's role cannot. A payment that was freed and consumed by another counts once.
CREATE FUNCTION count_told_payment() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO consumed_totals VALUES (NEW.chain, NEW.asset, NEW.direction, 0, 0) ON CONFLICT DO NOTHING;
    -- Two rows of one payment are counted one after the other.
    PERFORM FROM consumed_totals WHERE (chain, asset, direction) = (NEW.chain, NEW.asset, NEW.direction) FOR UPDATE;
    IF NOT EXISTS (SELECT FROM consumed_payments AS other
        WHERE (other.chain, other.txid, other.vout, other.direction) = (NEW.chain, NEW.txid, NEW.vout, NEW.direction)
            AND other.told_at IS NOT NULL AND other.consumed_at <> NEW.consumed_at)
    THEN
        UPDATE consumed_totals SET payments = payments + 1, units = units + NEW.units
            WHERE (chain, asset, direction) = (NEW.chain, NEW.asset, NEW.direction);
    END IF;
    RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION count_told_payment FROM PUBLIC;
CREATE TRIGGER consumed_payments_told AFTER INSERT ON consumed_payments FOR EACH ROW
    WHEN (NEW.told_at IS NOT NULL AND NEW.units IS NOT NULL) EXECUTE FUNCTION count_told_payment();
CREATE TRIGGER consumed_payments_counted AFTER UPDATE ON consumed_payments FOR EACH ROW
    WHEN (OLD.told_at IS NULL AND NEW.told_at IS NOT NULL AND NEW.units IS NOT NULL) EXECUTE FUNCTION count_told_payment();

-- Differences between both sums. One ends when they agree again.
CREATE TABLE bridge_faults (
    id             bigint        GENERATED ALWAYS AS IDENTITY CONSTRAINT bridge_faults_pkey PRIMARY KEY,
    chain          text          NOT NULL,
    asset          text          NOT NULL,
    direction      text          NOT NULL,
    -- What transactions of the wallet consume, and what payment-method knows to be consumed, in the smallest unit.
    consumed_units numeric(48,0) NOT NULL,
    known_units    numeric(48,0) NOT NULL,
    found_at       timestamptz   NOT NULL,
    verified_at    timestamptz,
    CONSTRAINT bridge_faults_direction CHECK (direction IN ('in', 'out')),
    CONSTRAINT bridge_faults_verified CHECK (verified_at >= found_at)
);
CREATE UNIQUE INDEX bridge_faults_open ON bridge_faults (chain, asset, direction) WHERE verified_at IS NULL;

-- Room that members' receipts take up: reserved before a file is stored, for good once a payment names it. A
-- reservation that no payment used goes with the member's next one.
CREATE TABLE receipts (
    -- In the object store.
    key             text        NOT NULL CONSTRAINT receipts_pkey PRIMARY KEY,
    user_id         uuid        NOT NULL,
    bytes           bigint      NOT NULL CONSTRAINT receipts_bytes CHECK (bytes > 0),
    -- The Idempotency-Key of the payment, until it is recorded.
    route           text,
    idempotency_key text,
    fingerprint     bytea,
    reserved_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The payment.
    transaction_id  uuid,
    CONSTRAINT receipts_claim CHECK (num_nulls(route, idempotency_key, fingerprint) IN (0, 3))
);
CREATE INDEX receipts_user ON receipts (user_id);
-- Receipts whose retention has passed.
CREATE INDEX receipts_reserved_at ON receipts (reserved_at);

-- Wallets of members who closed their account. They stay in the books, and nothing is opened in them any more.
CREATE TABLE closed_wallets (
    user_id     uuid        NOT NULL CONSTRAINT closed_wallets_pkey PRIMARY KEY,
    closed_at   timestamptz NOT NULL,
    -- The bonus that the member gave up by closing.
    bonus_cents bigint      NOT NULL DEFAULT 0
);

CREATE TRIGGER closed_wallets_append_only BEFORE UPDATE OR DELETE ON closed_wallets
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER closed_wallets_not_truncated BEFORE TRUNCATE ON closed_wallets
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- What makes two destinations one: names of currency and network without regard to case, blanks and punctuation, and the
-- address. None of the four holds a line break.
CREATE FUNCTION destination_key(currency text, network text, address text, memo text) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path FROM CURRENT AS $$
    SELECT sha256(convert_to(upper(currency) || E'\n' || lower(regexp_replace(network, '[^[:alnum:]]', '', 'g')) || E'\n'
        || address_key(address) || E'\n' || coalesce(memo, ''), 'UTF8'))
$$;

-- The book of destinations: where payouts of a member may go, because the member confirmed it.
-- Currency, network, address and memo count together.
CREATE TABLE destinations (
    user_id  uuid        NOT NULL,
    key      bytea       NOT NULL GENERATED ALWAYS AS (destination_key(currency, network, address, memo)) STORED,
    currency text        NOT NULL,
    network  text        NOT NULL,
    address  text        NOT NULL,
    memo     text        NOT NULL,
    -- The mailed code or a second factor.
    cause    text        NOT NULL CONSTRAINT destinations_cause CHECK (cause IN ('code', 'factor')),
    known_at timestamptz NOT NULL,
    -- What auth signed when the member confirmed it, without which nothing is approved.
    assertion text       NOT NULL,
    CONSTRAINT destinations_pkey PRIMARY KEY (user_id, key)
);

CREATE TRIGGER destinations_append_only BEFORE UPDATE ON destinations
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER destinations_not_truncated BEFORE TRUNCATE ON destinations
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- No destination goes without a trace before the personal data of its member does, and none that has been known for long. A
-- report covers 72 hours; the rest is for an event that arrives late.
CREATE FUNCTION keep_disowned_destination() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF EXISTS (SELECT FROM closed_wallets
        WHERE user_id = OLD.user_id AND closed_at < clock_timestamp() - interval '30 days')
    THEN
        RETURN OLD;
    ELSIF OLD.known_at < clock_timestamp() - interval '7 days' THEN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    INSERT INTO disowned_destinations
    VALUES (OLD.user_id, OLD.key, OLD.currency, OLD.network, OLD.address, OLD.memo, OLD.cause, OLD.known_at, clock_timestamp(),
        OLD.assertion);
    RETURN OLD;
END
$$;
CREATE TRIGGER destinations_of_closed_wallets BEFORE DELETE ON destinations
    FOR EACH ROW EXECUTE FUNCTION keep_disowned_destination();
REVOKE EXECUTE ON FUNCTION keep_disowned_destination FROM PUBLIC;

-- A member who reports that someone else used the account takes back the destinations that became known lately. They are kept,
-- because withdrawals were approved for them.
CREATE TABLE disowned_destinations (
    user_id     uuid        NOT NULL,
    key         bytea       NOT NULL,
    currency    text        NOT NULL,
    network     text        NOT NULL,
    address     text        NOT NULL,
    memo        text        NOT NULL,
    cause       text        NOT NULL,
    -- It was known from then on, until it was taken back.
    known_at    timestamptz NOT NULL,
    disowned_at timestamptz NOT NULL,
    assertion   text        NOT NULL,
    CONSTRAINT disowned_destinations_pkey PRIMARY KEY (user_id, key, known_at)
);

CREATE TRIGGER disowned_destinations_append_only BEFORE UPDATE ON disowned_destinations
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER disowned_destinations_not_truncated BEFORE TRUNCATE ON disowned_destinations
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The book of destinations of a member goes with the rest of the personal data, long after the wallet was closed.
CREATE FUNCTION refuse_unless_wallet_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM closed_wallets
        WHERE user_id = OLD.user_id AND closed_at < clock_timestamp() - interval '30 days')
    THEN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END
$$;
CREATE TRIGGER disowned_destinations_of_closed_wallets BEFORE DELETE ON disowned_destinations
    FOR EACH ROW EXECUTE FUNCTION refuse_unless_wallet_closed();

-- Parts of balances that staff keeps back.
CREATE TABLE holds (
    id           uuid        NOT NULL CONSTRAINT holds_pkey PRIMARY KEY,
    user_id      uuid        NOT NULL,
    amount_cents bigint      NOT NULL CONSTRAINT holds_amount CHECK (amount_cents > 0),
    reason_code  text        NOT NULL CONSTRAINT holds_reason CHECK (reason_code IN ('COMPLIANCE', 'DISPUTE', 'OTHER')),
    status       text        NOT NULL DEFAULT 'placed' CONSTRAINT holds_status CHECK (status IN ('placed', 'released')),
    placed_by    uuid        NOT NULL,
    placed_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    released_by  uuid,
    released_at  timestamptz,
    CONSTRAINT holds_release CHECK (
        (status = 'released') = (released_by IS NOT NULL) AND (released_by IS NULL) = (released_at IS NULL)),
    CONSTRAINT holds_two_people CHECK (released_by <> placed_by)
);
CREATE INDEX holds_of_member ON holds (user_id) WHERE status = 'placed';
CREATE INDEX holds_placed_at ON holds (placed_at);
CREATE INDEX holds_released_at ON holds (released_at) WHERE released_at IS NOT NULL;
-- A member's holds, also released ones, for the download of their data.
CREATE INDEX holds_owner ON holds (user_id);

-- A hold is placed, and released once; its terms stay.
CREATE FUNCTION refuse_other_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'hold % is placed, then released, once', NEW.id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'holds_released_once';
END
$$;
CREATE TRIGGER holds_placed_first BEFORE INSERT ON holds
    FOR EACH ROW WHEN (NEW.status <> 'placed') EXECUTE FUNCTION refuse_other_hold();
CREATE TRIGGER holds_released_once BEFORE UPDATE ON holds
    FOR EACH ROW WHEN ((OLD.status, NEW.status) IS DISTINCT FROM ('placed', 'released')
        OR (NEW.id, NEW.user_id, NEW.amount_cents, NEW.reason_code, NEW.placed_by, NEW.placed_at)
            IS DISTINCT FROM (OLD.id, OLD.user_id, OLD.amount_cents, OLD.reason_code, OLD.placed_by, OLD.placed_at))
    EXECUTE FUNCTION refuse_other_hold();
CREATE TRIGGER holds_stay BEFORE DELETE ON holds
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER holds_not_truncated BEFORE TRUNCATE ON holds
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The money side of trades: the terms under which each was funded, and how it ended.
CREATE TABLE trade_fundings (
    trade_id     uuid        NOT NULL CONSTRAINT trade_fundings_pkey PRIMARY KEY,
    user_id      uuid        NOT NULL,
    amount_cents bigint      NOT NULL,
    -- A refused one stays refused, so that a late repetition cannot fund a trade that was given up.
    status       text        NOT NULL,
    value_cents  bigint,
    created_at   timestamptz NOT NULL,
    settled_at   timestamptz,
    CONSTRAINT trade_fundings_amount CHECK (amount_cents > 0),
    CONSTRAINT trade_fundings_value CHECK (value_cents >= 0),
    CONSTRAINT trade_fundings_status CHECK (status IN ('funded', 'refused', 'settled')),
    CONSTRAINT trade_fundings_settled CHECK (
        (status = 'settled') = (settled_at IS NOT NULL) AND (settled_at IS NULL) = (value_cents IS NULL))
) WITH (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000,
    autovacuum_analyze_scale_factor = 0.01
);
CREATE INDEX trade_fundings_user ON trade_fundings (user_id);
CREATE INDEX trade_fundings_created_at ON trade_fundings USING brin (created_at)
    WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX trade_fundings_settled_at ON trade_fundings (settled_at) WHERE settled_at IS NOT NULL;
-- The check of the ledger sums the open trades of each member who moved money.
CREATE INDEX trade_fundings_open ON trade_fundings (user_id) INCLUDE (amount_cents)
    WHERE status = 'funded';

-- The terms of a funding stay, and it ends once. A row that moved money is written by the ledger's functions, which run as
-- the owner of the table, never by the service's own role.
CREATE FUNCTION refuse_other_funding() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the funding of trade % is the ledger''s', CASE TG_OP WHEN 'DELETE' THEN OLD.trade_id ELSE NEW.trade_id END
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'trade_fundings_by_the_ledger';
END
$$;
CREATE TRIGGER trade_fundings_by_the_ledger BEFORE INSERT ON trade_fundings
    FOR EACH ROW WHEN (NEW.status <> 'refused' AND current_user = 'wallet') EXECUTE FUNCTION refuse_other_funding();
CREATE TRIGGER trade_fundings_settled_once BEFORE UPDATE ON trade_fundings
    FOR EACH ROW WHEN ((OLD.status, NEW.status) IS DISTINCT FROM ('funded', 'settled')
        OR (NEW.trade_id, NEW.user_id, NEW.amount_cents, NEW.created_at)
            IS DISTINCT FROM (OLD.trade_id, OLD.user_id, OLD.amount_cents, OLD.created_at))
    EXECUTE FUNCTION refuse_other_funding();
CREATE TRIGGER trade_fundings_stay BEFORE DELETE ON trade_fundings
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER trade_fundings_not_truncated BEFORE TRUNCATE ON trade_fundings
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Cash of plans that went from one bucket to another, where a gain was due. What is on the way stands in the account `transit`
-- of both, and is zero in sum.
CREATE TABLE cash_transfers (
    id             uuid        NOT NULL CONSTRAINT cash_transfers_pkey PRIMARY KEY,
    plan_id        uuid        NOT NULL,
    from_bucket    smallint    NOT NULL,
    to_bucket      smallint    NOT NULL CONSTRAINT cash_transfers_buckets CHECK (to_bucket <> from_bucket),
    amount_cents   bigint      NOT NULL CONSTRAINT cash_transfers_amount CHECK (amount_cents > 0),
    transferred_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX cash_transfers_transferred_at ON cash_transfers (transferred_at);

CREATE TRIGGER cash_transfers_append_only BEFORE UPDATE OR DELETE ON cash_transfers
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER cash_transfers_not_truncated BEFORE TRUNCATE ON cash_transfers
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- What trade last reported of the open trades of a plan: what they cost and what they are worth.
CREATE TABLE plan_values (
    plan_id     uuid        NOT NULL CONSTRAINT plan_values_pkey PRIMARY KEY,
    title       text        NOT NULL,
    cost_cents  bigint      NOT NULL CONSTRAINT plan_values_cost CHECK (cost_cents >= 0),
    value_cents bigint      NOT NULL CONSTRAINT plan_values_value CHECK (value_cents >= 0),
    at          timestamptz NOT NULL,
    -- Up to which value of the plan trade has reported the gains of its open trades.
    gains_at    timestamptz,
    -- The moment of the plan's newest value, as trade reported it.
    value_at    timestamptz
);

-- The gains of open trades as trade reported them, at a value of their plan. Rows of an older value than the
-- plan's `gains_at` do not count, nor do those of trades that are settled.
CREATE TABLE open_gains (
    trade_id   uuid        NOT NULL CONSTRAINT open_gains_pkey PRIMARY KEY,
    plan_id    uuid        NOT NULL,
    gain_cents bigint      NOT NULL CONSTRAINT open_gains_gain CHECK (gain_cents > 0),
    value_at   timestamptz NOT NULL
);

-- A stop of all withdrawals begins when the books do not add up, and is ended by two people. Each stays on record.
CREATE TABLE withdrawal_pauses (
    id                    bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT withdrawal_pauses_pkey PRIMARY KEY,
    -- What was wrong, in sentences.
    reason                text        NOT NULL,
    stopped_at            timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Who let withdrawals go on, and when.
    reopening_proposed_by uuid,
    reopened_by           uuid,
    reopened_at           timestamptz,
    CONSTRAINT withdrawal_pauses_reopening CHECK (
        (reopened_at IS NULL) = (reopened_by IS NULL) AND (reopened_at IS NULL) = (reopening_proposed_by IS NULL)),
    CONSTRAINT withdrawal_pauses_two_people CHECK (reopened_by <> reopening_proposed_by)
);
CREATE UNIQUE INDEX withdrawal_pauses_one_in_force ON withdrawal_pauses ((true)) WHERE reopened_at IS NULL;

-- A stop is ended once.
CREATE FUNCTION refuse_reopening_twice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.reopened_at IS NOT NULL THEN
        RAISE EXCEPTION 'stop % is history', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'withdrawal_pauses_reopened_once';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER withdrawal_pauses_reopened_once BEFORE UPDATE OR DELETE ON withdrawal_pauses
    FOR EACH ROW EXECUTE FUNCTION refuse_reopening_twice();

-- The service's own role ends a stop only as two people proposed and confirmed. A reopening names its stop, and ends that one
-- alone.
CREATE FUNCTION refuse_unproposed_reopening() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'INSERT' AND NEW.reopened_at IS NULL THEN
        RETURN NULL;
    ELSIF TG_OP = 'UPDATE' AND (NEW.id, NEW.reason, NEW.stopped_at) IS NOT DISTINCT FROM (OLD.id, OLD.reason, OLD.stopped_at)
        AND (NEW.reopened_at IS NULL OR EXISTS (SELECT FROM proposals
            WHERE kind = 'withdrawals.reopen' AND status = 'confirmed' AND proposed_by = NEW.reopening_proposed_by
                AND decided_by = NEW.reopened_by AND decided_at >= transaction_timestamp()
                AND (change ->> 'pauseId')::bigint = NEW.id))
    THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'stop % can only be ended as two people proposed and confirmed', NEW.id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'withdrawal_pauses_as_proposed';
END
$$;
CREATE TRIGGER withdrawal_pauses_as_proposed AFTER INSERT OR UPDATE ON withdrawal_pauses
    FOR EACH ROW WHEN (current_user = 'wallet') EXECUTE FUNCTION refuse_unproposed_reopening();

-- Which staff look at which transaction. Worth seconds, so that a crash may lose it.
CREATE UNLOGGED TABLE viewings (
    transaction_id uuid        NOT NULL,
    staff_id       uuid        NOT NULL,
    seen_at        timestamptz NOT NULL,
    CONSTRAINT viewings_pkey PRIMARY KEY (transaction_id, staff_id)
);
CREATE INDEX viewings_seen_at ON viewings (seen_at);

-- Which staff work on which open transaction. Worth minutes, so that a crash may lose it.
CREATE UNLOGGED TABLE claims (
    transaction_id uuid        NOT NULL CONSTRAINT claims_pkey PRIMARY KEY,
    staff_id       uuid        NOT NULL,
    claimed_at     timestamptz NOT NULL
);
CREATE INDEX claims_claimed_at ON claims (claimed_at);

-- The proof of liabilities (D-B6): publications, and the Merkle sum trees of the newest ones. They are made by functions that
-- count the liabilities themselves, with the gains of open trades (sql/50_liabilities.sql).
CREATE TABLE liability_publications (
    id           bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT liability_publications_pkey PRIMARY KEY,
    -- The moment whose balances are counted.
    at           timestamptz NOT NULL,
    -- These are set when the tree is complete, once.
    root         bytea,
    total_cents  bigint,
    leaves       bigint,
    published_at timestamptz,
    -- What was counted: the postings that are visible in it.
    snapshot     pg_snapshot,
    -- The part of the total that is gains of open trades.
    gains_cents  bigint,
    -- What was held then, as the service found it.
    held         jsonb,
    CONSTRAINT liability_publications_complete CHECK (
        (published_at IS NULL) = (root IS NULL) AND (root IS NULL) = (total_cents IS NULL)
        AND (total_cents IS NULL) = (leaves IS NULL)),
    CONSTRAINT liability_publications_root CHECK (octet_length(root) = 32)
);
-- One is built at a time.
CREATE UNIQUE INDEX liability_publications_building ON liability_publications ((published_at IS NULL))
    WHERE published_at IS NULL;
CREATE INDEX liability_publications_newest ON liability_publications (at DESC) WHERE published_at IS NOT NULL;

-- What was published stays.
CREATE FUNCTION refuse_change_of_publication() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.published_at IS NOT NULL THEN
        RAISE EXCEPTION 'publication % is published', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN coalesce(NEW, OLD);
END
$$;
CREATE TRIGGER liability_publications_final BEFORE UPDATE OR DELETE ON liability_publications
    FOR EACH ROW EXECUTE FUNCTION refuse_change_of_publication();

-- Parts of what a member is owed, in the random order of the salts.
CREATE TABLE liability_leaves (
    publication_id bigint NOT NULL CONSTRAINT liability_leaves_publication REFERENCES liability_publications,
    position       bigint NOT NULL,
    user_id        uuid   NOT NULL,
    salt           bytea  NOT NULL CONSTRAINT liability_leaves_salt CHECK (octet_length(salt) = 32),
    amount_cents   bigint NOT NULL CONSTRAINT liability_leaves_amount CHECK (amount_cents >= 0),
    CONSTRAINT liability_leaves_pkey PRIMARY KEY (publication_id, position)
);
CREATE INDEX liability_leaves_member ON liability_leaves (publication_id, user_id);

-- The buckets whose members a publication has counted.
CREATE TABLE liability_counts (
    publication_id bigint   NOT NULL CONSTRAINT liability_counts_publication REFERENCES liability_publications,
    bucket         smallint NOT NULL,
    CONSTRAINT liability_counts_pkey PRIMARY KEY (publication_id, bucket)
);

-- The tree: level 0 are the leaves, those of each bucket from bucket * 2^32 on; a node without a sibling rises as it is.
CREATE TABLE liability_nodes (
    publication_id bigint   NOT NULL CONSTRAINT liability_nodes_publication REFERENCES liability_publications,
    level          smallint NOT NULL,
    position       bigint   NOT NULL,
    digest         bytea    NOT NULL,
    sum_cents      bigint   NOT NULL CONSTRAINT liability_nodes_sum CHECK (sum_cents >= 0),
    CONSTRAINT liability_nodes_pkey PRIMARY KEY (publication_id, level, position)
);

-- The gains that a publication counted. They are kept as long as its tree.
CREATE TABLE liability_gains (
    publication_id bigint NOT NULL CONSTRAINT liability_gains_publication REFERENCES liability_publications,
    trade_id       uuid   NOT NULL,
    gain_cents     bigint NOT NULL CONSTRAINT liability_gains_gain CHECK (gain_cents > 0),
    CONSTRAINT liability_gains_pkey PRIMARY KEY (publication_id, trade_id)
);

-- Finds what the audit log says of one thing.
CREATE INDEX audit_rows_subject ON audit_rows (subject_id, id DESC);

-- Whether a proposal of this kind is a treasury movement.
CREATE FUNCTION is_treasury(kind text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT kind IN ('capital_in', 'capital_out', 'revenue_out', 'network_fee', 'loss', 'plan_funded', 'plan_returned',
        'plan_bought', 'plan_proceeds', 'plan_loss', 'plan_valued', 'holding_stated', 'sweep', 'exchange', 'refund')
$$;
CREATE INDEX proposals_of_treasury ON proposals (decided_at DESC, id DESC) WHERE status = 'confirmed' AND is_treasury(kind);
CREATE INDEX proposals_of_treasury_subject ON proposals (subject_id, decided_at, id)
    WHERE status = 'confirmed' AND is_treasury(kind);
-- Whether a proposal says that a payout arrived with another amount than was fixed, and is paid.
CREATE FUNCTION is_arrived_payout(kind text, change jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT kind = 'payout_correction' AND change ->> 'outcome' = 'arrived'
$$;
CREATE INDEX proposals_of_arrived_payouts ON proposals ((change ->> 'transaction_id'))
    WHERE status = 'confirmed' AND is_arrived_payout(kind, change);
-- What went back of a rejected payment.
CREATE INDEX proposals_of_returns ON proposals ((change ->> 'transaction_id')) WHERE status = 'confirmed' AND kind = 'refund';
-- Whether a stored file proves a movement.
CREATE INDEX proposals_document_file ON proposals ((change ->> 'document_file')) WHERE change ->> 'document_file' IS NOT NULL;

-- What members' payments and purchases moved in the accounts of the platform, for the figures of the business. Read by account and
-- posting: see last_posting_until.
CREATE VIEW house_movements AS
SELECT accounts.id AS account_id, accounts.kind AS account, entries.posting_id, postings.kind AS posting_kind,
    postings.created_at AS at, entries.amount_cents
FROM accounts
JOIN entries ON entries.account_id = accounts.id
JOIN postings ON postings.id = entries.posting_id
JOIN posting_kinds AS rule ON rule.kind = postings.kind AND rule.cause_type = postings.cause_type
WHERE accounts.user_id IS NULL AND rule.is_turnover;

-- What staff decided, with how long it had waited. Read by handled_at, which has an index.
CREATE VIEW decisions AS
SELECT transactions.id AS transaction_id, transactions.kind, decision.staff_id, decision.decision, decision.at,
    decision.at - decision.since AS took, greatest(approved_at, decided_at) AS handled_at
FROM transactions
CROSS JOIN LATERAL (VALUES
    (CASE WHEN kind = 'withdrawal' THEN approved_by WHEN status = 'success' THEN decided_by END, 'approved',
        coalesce(approved_at, decided_at), created_at),
    (CASE WHEN status = 'failed' THEN decided_by END, 'rejected', decided_at, created_at),
    (CASE WHEN kind = 'withdrawal' AND status <> 'failed' THEN coalesce(sent_by, decided_by) END, 'paid',
        coalesce(sent_at, decided_at), approved_at)
) AS decision (staff_id, decision, at, since)
WHERE kind IN ('deposit', 'course', 'fee', 'withdrawal') AND decision.at IS NOT NULL
    AND decision.staff_id <> '00000000-0000-0000-0000-000000000000';

-- What waits for staff, with its age.
CREATE VIEW open_requests AS
SELECT CASE WHEN approved_at IS NULL THEN kind ELSE 'payout' END AS kind,
    clock_timestamp() - coalesce(approved_at, created_at) AS age
FROM transactions WHERE status = 'pending' AND sent_at IS NULL;

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        -- Written by the functions of the ledger and of its check, which run as their owner.
        REVOKE ALL ON posting_kinds, accounts, member_buckets, open_buckets, postings, entries, account_checkpoints, account_rebuilds,
            ledger_checks, ledger_faults, trade_fundings FROM wallet;
        GRANT SELECT ON posting_kinds, accounts, member_buckets, open_buckets, postings, entries, account_checkpoints, account_rebuilds,
            ledger_checks, ledger_faults, trade_fundings TO wallet;
        REVOKE USAGE, UPDATE ON SEQUENCE postings_id_seq, accounts_id_seq FROM wallet;
        REVOKE ALL ON transactions, consumed_payments, holds, closed_wallets, destinations, disowned_destinations,
            withdrawal_pauses FROM wallet;
        GRANT SELECT, INSERT, UPDATE ON transactions, withdrawal_pauses TO wallet;
        GRANT SELECT, INSERT, UPDATE (freed_at, told_at) ON consumed_payments TO wallet;
        GRANT SELECT, INSERT, UPDATE (status, released_by, released_at) ON holds TO wallet;
        GRANT SELECT, INSERT ON closed_wallets TO wallet;
        REVOKE ALL ON consumed_totals, bridge_faults FROM wallet;
        GRANT SELECT ON consumed_totals TO wallet;
        GRANT SELECT, INSERT, UPDATE (consumed_units, known_units, verified_at) ON bridge_faults TO wallet;
        -- Triggers keep those that were known for long, and disowned ones, until long after the wallet was closed.
        GRANT SELECT, INSERT, DELETE ON destinations TO wallet;
        GRANT SELECT, DELETE ON disowned_destinations TO wallet;
        REVOKE ALL ON cash_transfers, plan_values, open_gains FROM wallet;
        GRANT SELECT, INSERT ON cash_transfers TO wallet;
        GRANT SELECT, INSERT, UPDATE (title, cost_cents, value_cents, at, gains_at, value_at) ON plan_values TO wallet;
        GRANT SELECT, INSERT, UPDATE (plan_id, gain_cents, value_at) ON open_gains TO wallet;
        -- Written by functions alone.
        REVOKE ALL ON liability_publications, liability_counts, liability_leaves, liability_nodes, liability_gains FROM wallet;
        GRANT SELECT ON liability_publications, liability_counts, liability_leaves, liability_nodes, liability_gains TO wallet;
        REVOKE ALL ON house_movements, decisions, open_requests FROM wallet;
        GRANT SELECT ON house_movements, decisions, open_requests TO wallet;
    END IF;
END $$;
