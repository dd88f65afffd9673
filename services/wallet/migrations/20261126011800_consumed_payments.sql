-- A payment on a chain is an output of a blockchain transaction. What is decided about a deposit, a fee, the course or a payout
-- consumes the outputs that it names, each at most once, whichever way the money goes.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

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

CREATE TABLE consumed_payments (
    chain          text        NOT NULL,
    -- As the column txid_key of transactions.
    txid           text        NOT NULL,
    -- The output; -1 for the whole blockchain transaction, where its outputs are not known.
    vout           bigint      NOT NULL,
    direction      text        NOT NULL,
    transaction_id uuid        NOT NULL,
    -- What the chain shows; unset where it is not observed.
    asset          text,
    units          numeric(39,0),
    consumed_at    timestamptz NOT NULL,
    -- Since when it does not count: a first approval was rejected, a hash corrected, or the posting reversed.
    freed_at       timestamptz,
    CONSTRAINT consumed_payments_pkey PRIMARY KEY (chain, txid, vout, consumed_at),
    CONSTRAINT consumed_payments_vout CHECK (vout BETWEEN -1 AND 4294967295),
    CONSTRAINT consumed_payments_direction CHECK (direction IN ('in', 'out')),
    CONSTRAINT consumed_payments_units CHECK ((asset IS NULL) = (units IS NULL) AND units > 0 AND (units IS NULL OR vout >= 0)),
    CONSTRAINT consumed_payments_freed CHECK (freed_at >= consumed_at)
);
CREATE UNIQUE INDEX consumed_payments_once ON consumed_payments (chain, txid, vout) WHERE freed_at IS NULL;
CREATE INDEX consumed_payments_transaction ON consumed_payments (transaction_id);

INSERT INTO consumed_payments (chain, txid, vout, direction, transaction_id, consumed_at, freed_at)
SELECT payment_chain(network), txid_key, coalesce(vout, -1), CASE kind WHEN 'withdrawal' THEN 'out' ELSE 'in' END, id,
    coalesce(first_approved_at, decided_at), (SELECT max(reversal.created_at) FROM postings AS posted
        JOIN postings AS reversal ON reversal.reverses = posted.id WHERE posted.transaction_id = transactions.id)
FROM transactions WHERE txid_key IS NOT NULL ON CONFLICT DO NOTHING;

-- Nothing counts beside a use of the whole blockchain transaction. Processes of the version before know these names.
CREATE FUNCTION refuse_consumed_payment() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    -- Whoever consumes the same transaction at this moment is waited for.
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

-- Nothing is forgotten: a row is freed once, and else stays as it is.
CREATE FUNCTION keep_consumed_payments() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.freed_at IS NOT NULL OR (NEW.chain, NEW.txid, NEW.vout, NEW.direction, NEW.transaction_id,
            NEW.asset, NEW.units, NEW.consumed_at)
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

-- A transaction with a hash has consumed at least one payment, also if a process of the version before decided it: that of its
-- hash and output. A hash that is taken away frees it.
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

-- What was decided between the copy and the trigger.
INSERT INTO consumed_payments (chain, txid, vout, direction, transaction_id, consumed_at)
SELECT payment_chain(network), txid_key, coalesce(vout, -1), CASE kind WHEN 'withdrawal' THEN 'out' ELSE 'in' END, id,
    coalesce(first_approved_at, decided_at)
FROM transactions
WHERE txid_key IS NOT NULL AND coalesce(decided_at, first_approved_at) >= now() - interval '1 hour'
    AND NOT EXISTS (SELECT FROM consumed_payments AS known WHERE known.chain = payment_chain(network)
        AND known.txid = txid_key AND known.freed_at IS NULL
        AND (known.vout = coalesce(transactions.vout, -1) OR known.vout = -1 OR transactions.vout IS NULL));

-- It takes the place of these.
DROP TRIGGER transactions_output_used_once ON transactions;
DROP FUNCTION refuse_used_output();
DROP INDEX transactions_txid_in, transactions_txid_out;

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        REVOKE ALL ON consumed_payments FROM wallet;
        GRANT SELECT, INSERT, UPDATE (freed_at) ON consumed_payments TO wallet;
    END IF;
END
$$;
