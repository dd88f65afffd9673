-- The lines of members' histories, and what staff decides on.

CREATE TABLE transactions (
    id                   uuid        NOT NULL CONSTRAINT transactions_pkey PRIMARY KEY,
    user_id              uuid        NOT NULL,
    kind                 text        NOT NULL,
    description          text        NOT NULL,
    status               text        NOT NULL,
    direction            text        NOT NULL,
    amount_cents         bigint      NOT NULL,
    claimed_amount_cents bigint,
    fee_cents            bigint,
    net_amount_cents     bigint,
    fee_paid             boolean     NOT NULL DEFAULT false,
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
    revision             integer     NOT NULL DEFAULT 1,
    created_at           timestamptz NOT NULL,
    CONSTRAINT transactions_kind CHECK (
        kind IN ('deposit', 'withdrawal', 'trade', 'profit', 'course', 'bonus', 'fee', 'adjustment')),
    CONSTRAINT transactions_status CHECK (status IN ('pending', 'success', 'failed')),
    CONSTRAINT transactions_direction CHECK (direction IN ('credit', 'debit')),
    CONSTRAINT transactions_amount CHECK (amount_cents > 0),
    CONSTRAINT transactions_decided CHECK ((status = 'pending') = (decided_at IS NULL)),
    CONSTRAINT transactions_reason CHECK ((status = 'failed') = (reason_code IS NOT NULL)),
    CONSTRAINT transactions_approval CHECK ((approved_by IS NULL) = (approved_at IS NULL)),
    CONSTRAINT transactions_txid CHECK ((txid IS NULL) = (txid_key IS NULL) AND (txid IS NULL OR status = 'success')),
    -- Money that came from outside is confirmed by a person, with its txid.
    CONSTRAINT transactions_confirmed CHECK (
        status <> 'success' OR NOT (kind IN ('deposit', 'fee') OR kind = 'course' AND method_id IS NOT NULL)
        OR (txid IS NOT NULL AND decided_by IS NOT NULL)),
    CONSTRAINT transactions_net CHECK (kind <> 'withdrawal' OR coalesce(
        fee_cents >= 0 AND net_amount_cents = CASE WHEN fee_paid THEN amount_cents ELSE amount_cents - fee_cents END, false)),
    CONSTRAINT transactions_paid CHECK (kind <> 'withdrawal' OR status <> 'success' OR (
        approved_by IS NOT NULL AND decided_by IS NOT NULL AND txid IS NOT NULL AND destination_address IS NOT NULL)),
    -- From $1,000.00 nobody both approves and pays.
    CONSTRAINT transactions_two_people CHECK (
        kind <> 'withdrawal' OR status <> 'success' OR amount_cents < 100000 OR approved_by <> decided_by)
) WITH (fillfactor = 90);

CREATE INDEX transactions_history ON transactions (user_id, created_at DESC, id DESC);
CREATE INDEX transactions_newest ON transactions (created_at DESC, id DESC);
CREATE INDEX transactions_queue ON transactions (kind, created_at) WHERE status = 'pending';
CREATE INDEX transactions_related ON transactions (related_id) WHERE related_id IS NOT NULL;
CREATE INDEX transactions_receipt ON transactions (receipt_digest) WHERE receipt_digest IS NOT NULL;
CREATE INDEX transactions_destination ON transactions (destination_address) WHERE destination_address IS NOT NULL;
CREATE INDEX transactions_claimed_txid ON transactions (claimed_txid) WHERE claimed_txid IS NOT NULL;
CREATE INDEX transactions_txid ON transactions (txid_key) WHERE txid_key IS NOT NULL;

CREATE UNIQUE INDEX transactions_one_open_withdrawal ON transactions (user_id)
    WHERE kind = 'withdrawal' AND status = 'pending';
CREATE UNIQUE INDEX transactions_one_pending_course ON transactions (user_id)
    WHERE kind = 'course' AND status = 'pending';
CREATE UNIQUE INDEX transactions_one_pending_fee ON transactions (related_id)
    WHERE kind = 'fee' AND status = 'pending';
-- A hash counts once, whatever the network is called: one chain has several names.
CREATE UNIQUE INDEX transactions_txid_in ON transactions (txid_key)
    WHERE txid_key IS NOT NULL AND kind <> 'withdrawal';
CREATE UNIQUE INDEX transactions_txid_out ON transactions (txid_key)
    WHERE txid_key IS NOT NULL AND kind = 'withdrawal';

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
);
CREATE INDEX trade_fundings_user ON trade_fundings (user_id);

-- Whether withdrawals are accepted; closed when the books do not add up.
CREATE TABLE withdrawal_gate (
    only_row   boolean     NOT NULL DEFAULT true CONSTRAINT withdrawal_gate_pkey PRIMARY KEY,
    closed     boolean     NOT NULL DEFAULT false,
    cause      text        NOT NULL DEFAULT '',
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT withdrawal_gate_only_row CHECK (only_row)
);
INSERT INTO withdrawal_gate DEFAULT VALUES;

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        GRANT SELECT, INSERT, UPDATE ON transactions, trade_fundings TO wallet;
        REVOKE DELETE, TRUNCATE ON transactions, trade_fundings FROM wallet;
        GRANT SELECT, UPDATE ON withdrawal_gate TO wallet;
        REVOKE INSERT, DELETE, TRUNCATE ON withdrawal_gate FROM wallet;
    END IF;
END $$;
