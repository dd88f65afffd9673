-- Wallets of members who closed their account. They stay in the books, and nothing is opened in them any more.
CREATE TABLE closed_wallets (
    user_id   uuid        NOT NULL CONSTRAINT closed_wallets_pkey PRIMARY KEY,
    closed_at timestamptz NOT NULL
);
CREATE TRIGGER closed_wallets_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON closed_wallets
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Whoever closes a wallet and whoever opens something in it first lock the member's available account, so that one of them
-- sees the other.
CREATE FUNCTION refuse_in_closed_wallet() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM closed_wallets WHERE user_id = NEW.user_id) THEN
        RAISE EXCEPTION 'the wallet of % is closed', NEW.user_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'transactions_wallet_open';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER transactions_wallet_open BEFORE INSERT ON transactions
    FOR EACH ROW WHEN (NEW.status = 'pending') EXECUTE FUNCTION refuse_in_closed_wallet();

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        REVOKE ALL ON closed_wallets FROM wallet;
        GRANT SELECT, INSERT ON closed_wallets TO wallet;
    END IF;
END $$;
