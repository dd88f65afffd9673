-- Payments are known by transaction hash and output, a payout is made under a lease, and a large deposit takes two
-- reviewers.

ALTER TABLE transactions
    -- Which output of the blockchain transaction; unset: all of it.
    ADD COLUMN vout              bigint,
    -- The treasurer who is paying a withdrawal, until when.
    ADD COLUMN paying_by         uuid,
    ADD COLUMN paying_until      timestamptz,
    -- The first of two approvals of a deposit: it records what was received, and reserves the txid.
    ADD COLUMN first_approved_by uuid,
    ADD COLUMN first_approved_at timestamptz,
    ADD COLUMN received_cents    bigint,
    DROP CONSTRAINT transactions_txid,
    DROP CONSTRAINT transactions_two_people;
ALTER TABLE transactions
    ADD CONSTRAINT transactions_txid CHECK ((txid IS NULL) = (txid_key IS NULL)
        AND (txid IS NULL OR status = 'success' OR status = 'pending' AND first_approved_by IS NOT NULL)) NOT VALID,
    ADD CONSTRAINT transactions_vout CHECK (vout IS NULL OR txid IS NOT NULL AND vout BETWEEN 0 AND 4294967295) NOT VALID,
    ADD CONSTRAINT transactions_paying CHECK ((paying_by IS NULL) = (paying_until IS NULL)
        AND (paying_by IS NULL OR kind = 'withdrawal' AND approved_by IS NOT NULL)) NOT VALID,
    ADD CONSTRAINT transactions_first_approval CHECK ((first_approved_by IS NULL) = (first_approved_at IS NULL)
        AND (first_approved_by IS NULL) = (received_cents IS NULL)
        AND (first_approved_by IS NULL OR kind = 'deposit' AND txid IS NOT NULL AND received_cents > 0)) NOT VALID,
    -- From $1,000.00 nobody both approves and pays; a deposit that takes two reviewers is not decided by the first.
    ADD CONSTRAINT transactions_two_people CHECK (status <> 'success' OR CASE kind
        WHEN 'withdrawal' THEN amount_cents < 100000 OR approved_by <> decided_by
        ELSE first_approved_by IS NULL OR first_approved_by <> decided_by END) NOT VALID;

-- A hash without an output stands for the whole blockchain transaction: no other payment of the same direction has any
-- part of it. Payments that each name their output share one. The unique indexes refuse the same output twice.
CREATE FUNCTION refuse_used_output() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Whoever uses the same hash at this moment is waited for.
    PERFORM pg_advisory_xact_lock(hashtextextended(NEW.txid_key, 0));
    IF EXISTS (SELECT FROM transactions AS other
        WHERE other.txid_key = NEW.txid_key AND other.id <> NEW.id
            AND (other.kind = 'withdrawal') = (NEW.kind = 'withdrawal')
            AND (other.vout IS NULL OR NEW.vout IS NULL OR other.vout = NEW.vout))
    THEN
        RAISE EXCEPTION 'the hash of transaction % is used', NEW.id USING ERRCODE = 'unique_violation',
            CONSTRAINT = CASE NEW.kind WHEN 'withdrawal' THEN 'transactions_txid_out' ELSE 'transactions_txid_in' END;
    END IF;
    RETURN NEW;
END
$$;
-- A row is made without a hash: it gets one when it is decided.
CREATE TRIGGER transactions_output_used_once BEFORE UPDATE ON transactions
    FOR EACH ROW WHEN (NEW.txid_key IS NOT NULL
        AND (NEW.txid_key, NEW.vout, NEW.kind) IS DISTINCT FROM (OLD.txid_key, OLD.vout, OLD.kind))
    EXECUTE FUNCTION refuse_used_output();

-- While somebody pays a withdrawal, nobody else ends it or pays it. A process of the version before knows no leases, but
-- the name of this constraint.
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

-- The second approval confirms what the first one recorded; a rejection ends the reservation, also by a process of the
-- version before, which knows of neither.
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
