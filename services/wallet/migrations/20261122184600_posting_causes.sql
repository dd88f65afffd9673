-- Every posting names its cause, knows the transaction that wrote it, and is written by the ledger's functions alone. The
-- functions are in ../sql, applied after the migrations.

-- What a posting of a kind moves, and what it takes to cause it: the one list of kinds.
CREATE TABLE posting_kinds (
    kind         text   NOT NULL,
    -- Where the business id of the posting is found.
    cause_type   text   NOT NULL,
    -- The kind of that transaction or proposal, and the status that causes the posting.
    cause_kind   text,
    cause_status text   NOT NULL,
    -- Which accounts may lose and gain by it; members' accounts only of the posting's member.
    debits       text[] NOT NULL,
    credits      text[] NOT NULL,
    CONSTRAINT posting_kinds_pkey PRIMARY KEY (kind, cause_type),
    CONSTRAINT posting_kinds_cause_type CHECK (cause_type IN ('transaction', 'purchase', 'trade', 'proposal', 'unchecked'))
);
INSERT INTO posting_kinds (kind, cause_type, cause_kind, cause_status, debits, credits) VALUES
    ('deposit', 'transaction', 'deposit', 'success', '{settlement}', '{available}'),
    ('course', 'transaction', 'course', 'success', '{settlement}', '{course_revenue}'),
    ('course', 'purchase', 'course', 'success', '{available}', '{course_revenue}'),
    ('withdrawal_hold', 'transaction', 'withdrawal', 'pending', '{available}', '{held}'),
    ('withdrawal_paid', 'transaction', 'withdrawal', 'success', '{held}', '{settlement,fee_revenue}'),
    ('withdrawal_release', 'transaction', 'withdrawal', 'failed', '{held}', '{available}'),
    ('fee', 'transaction', 'fee', 'success', '{settlement}', '{fee_revenue}'),
    ('fee_refund', 'transaction', 'fee', 'success', '{fee_revenue}', '{available}'),
    ('fee_credit', 'transaction', 'fee', 'success', '{settlement}', '{available}'),
    ('trade_fund', 'trade', NULL, 'funded', '{available}', '{invested}'),
    ('trade_settle', 'trade', NULL, 'settled', '{invested}', '{available}'),
    ('trade_gain', 'trade', NULL, 'settled', '{investment_pool}', '{available}'),
    ('trade_loss', 'trade', NULL, 'settled', '{invested}', '{investment_pool}'),
    ('bonus', 'proposal', 'bonus', 'confirmed', '{bonus_expense}', '{bonus}'),
    ('release', 'proposal', 'release', 'confirmed', '{bonus}', '{available}'),
    ('adjustment_credit', 'proposal', 'adjustment_credit', 'confirmed', '{adjustments}', '{available}'),
    ('adjustment_debit', 'proposal', 'adjustment_debit', 'confirmed', '{available}', '{adjustments}');

-- What the business id names; unset in older postings. Where the xid is unset, the chain does not cover the posting's header.
ALTER TABLE postings ADD COLUMN cause_type text;

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
CREATE TRIGGER trade_fundings_stay BEFORE DELETE OR TRUNCATE ON trade_fundings
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The service's own role ends a stop only as two people proposed and confirmed since it began.
CREATE FUNCTION refuse_unproposed_reopening() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' AND NEW.reopened_at IS NULL THEN
        RETURN NULL;
    ELSIF TG_OP = 'UPDATE' AND (NEW.id, NEW.reason, NEW.stopped_at) IS NOT DISTINCT FROM (OLD.id, OLD.reason, OLD.stopped_at)
        AND (NEW.reopened_at IS NULL OR EXISTS (SELECT FROM proposals
            WHERE kind = 'withdrawals.reopen' AND status = 'confirmed' AND proposed_by = NEW.reopening_proposed_by
                AND decided_by = NEW.reopened_by AND proposed_at >= NEW.stopped_at))
    THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'stop % can only be ended as two people proposed and confirmed', NEW.id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'withdrawal_stops_as_proposed';
END
$$;
CREATE TRIGGER withdrawal_stops_as_proposed AFTER INSERT OR UPDATE ON withdrawal_stops
    FOR EACH ROW WHEN (current_user = 'wallet') EXECUTE FUNCTION refuse_unproposed_reopening();

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON accounts, postings, entries, posting_kinds FROM wallet;
        REVOKE USAGE, UPDATE ON SEQUENCE postings_id_seq, accounts_id_seq FROM wallet;
        REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON trade_fundings FROM wallet;
        -- The version before opens empty accounts, notes refused fundings, and locks rows of both by itself, which takes
        -- the right to update some column: these are columns that no update can change. The version after takes them back.
        GRANT INSERT (kind, user_id), UPDATE (kind) ON accounts TO wallet;
        GRANT INSERT, UPDATE (trade_id) ON trade_fundings TO wallet;
        GRANT SELECT ON posting_kinds TO wallet;
        -- The version before looks at heads by the rule of before, and would stop withdrawals: it cannot keep what it saw.
        REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON book_checks FROM wallet;
    END IF;
END $$;
