-- One look for all rows of a statement: one per row took a tenth of the time of a withdrawal.
CREATE OR REPLACE FUNCTION refuse_in_closed_wallet() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    -- Not a join, which may be planned as a sequential scan.
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
DROP TRIGGER transactions_wallet_open ON transactions;
CREATE TRIGGER transactions_wallet_open AFTER INSERT ON transactions REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_closed_wallet();
