-- What the service's own role can write about rates, quotes and payments is what follows from what was read just now.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- Nobody dates back what a source said: the value of an earlier payment would follow from it.
CREATE FUNCTION refuse_old_point() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    RAISE EXCEPTION 'a rate of % is stored when it is read', NEW.symbol
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'rate_points_read_now';
END
$$;
CREATE TRIGGER rate_points_read_now BEFORE INSERT ON rate_points FOR EACH ROW
    WHEN (current_user = 'payment_method' AND NEW.proposal_id IS NULL
        AND NOT NEW.read_at BETWEEN transaction_timestamp() - interval '1 minute' AND transaction_timestamp())
    EXECUTE FUNCTION refuse_old_point();

-- A quote is made now, at the median of points that are stored and count now. A deposit asks for at least as many units as its
-- amount is worth, a withdrawal gets at most as many.
CREATE FUNCTION refuse_unfounded_quote() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    prices bigint[];
    number integer;
    is_published boolean;
    due    numeric := NEW.priced_cents::numeric * 10 ^ (NEW.decimals + 8)::numeric;
    worth  numeric := NEW.units * NEW.rate_micros
        * (10000 + CASE NEW.direction WHEN 'deposit' THEN -NEW.spread_bps ELSE NEW.spread_bps END);
BEGIN
    SELECT array_agg(price ORDER BY price), count(*), bool_or(published) INTO prices, number, is_published FROM (
        SELECT DISTINCT ON (point.source) proposal_id IS NOT NULL AS published,
            CASE NEW.direction WHEN 'deposit' THEN bid_micros ELSE ask_micros END AS price
        FROM jsonb_array_elements(NEW.sources) AS stated
        JOIN rate_points AS point ON point.symbol = NEW.symbol AND point.source = stated ->> 'source'
            AND bid_micros = (stated ->> 'bid')::bigint AND ask_micros = (stated ->> 'ask')::bigint
            AND read_at <= NEW.created_at
            AND coalesce(valid_until > NEW.created_at,
                least(source_at, read_at) BETWEEN NEW.created_at - interval '120 seconds' AND NEW.created_at)
    ) AS founded;
    IF NOT coalesce(number = jsonb_array_length(NEW.sources) AND (number >= 2 OR is_published)
        AND NEW.rate_micros = (prices[(number + 1) / 2] + prices[number / 2 + 1]) / 2
        AND CASE NEW.direction WHEN 'deposit' THEN worth >= due ELSE worth <= due END
        AND NEW.created_at = transaction_timestamp() AND NEW.expires_at = NEW.created_at + interval '15 minutes', false)
    THEN
        RAISE EXCEPTION 'quote % does not follow from the rates', NEW.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'quotes_from_points';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER quotes_from_points BEFORE INSERT ON quotes FOR EACH ROW
    WHEN (current_user = 'payment_method') EXECUTE FUNCTION refuse_unfounded_quote();

-- A payment is stored when it is seen, with the value that its units have at its rate.
CREATE FUNCTION refuse_unseen_payment() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NOT NEW.seen_at BETWEEN transaction_timestamp() - interval '10 minutes' AND transaction_timestamp()
        OR NEW.value_cents <> div(NEW.units * NEW.rate_micros * (10000 - NEW.spread_bps),
            10 ^ (8 + (SELECT decimals FROM assets WHERE chain = NEW.chain AND symbol = NEW.symbol))::numeric)
    THEN
        RAISE EXCEPTION 'payment % of % is stored as it is seen', NEW.idx, NEW.txid
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'chain_payments_as_seen';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER chain_payments_as_seen BEFORE INSERT ON chain_payments FOR EACH ROW
    WHEN (current_user = 'payment_method') EXECUTE FUNCTION refuse_unseen_payment();
