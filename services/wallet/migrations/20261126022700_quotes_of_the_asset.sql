-- A quote is of the asset that is paid. Those that broke it before stay, so it is not validated.
ALTER TABLE transactions ADD CONSTRAINT transactions_quote_asset
    CHECK (quote_id IS NULL OR coalesce(asset = currency, false)) NOT VALID;
