-- The approval of a withdrawal freezes what is paid out, and where.
CREATE FUNCTION refuse_other_payout() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.user_id, NEW.kind, NEW.amount_cents, NEW.fee_cents, NEW.net_amount_cents, NEW.currency, NEW.network,
        NEW.destination_address, NEW.destination_memo, NEW.approved_by, NEW.approved_at)
       IS DISTINCT FROM
       (OLD.user_id, OLD.kind, OLD.amount_cents, OLD.fee_cents, OLD.net_amount_cents, OLD.currency, OLD.network,
        OLD.destination_address, OLD.destination_memo, OLD.approved_by, OLD.approved_at) THEN
        RAISE EXCEPTION 'withdrawal % is approved', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'transactions_paid_as_approved';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER transactions_paid_as_approved BEFORE UPDATE ON transactions
    FOR EACH ROW WHEN (OLD.kind = 'withdrawal' AND OLD.approved_by IS NOT NULL) EXECUTE FUNCTION refuse_other_payout();

-- Finds what the audit log says of one thing.
CREATE INDEX audit_rows_subject ON audit_rows (subject_id, id DESC);
