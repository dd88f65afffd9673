-- Since when payment-method knows that a payment is consumed: it then tells when that does not count any more.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

ALTER TABLE consumed_payments ADD COLUMN told_at timestamptz;

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        GRANT UPDATE (told_at) ON consumed_payments TO wallet;
    END IF;
END
$$;
