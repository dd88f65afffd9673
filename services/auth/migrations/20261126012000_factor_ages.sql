-- How old a second factor is: one that was set up lately proves nothing. Unset for what was there before this column.
ALTER TABLE recovery_codes ADD COLUMN created_at timestamptz;
ALTER TABLE recovery_codes ALTER COLUMN created_at SET DEFAULT clock_timestamp();
-- Since when the account has the factor that was last given in the session.
ALTER TABLE sessions ADD COLUMN factor_since timestamptz;
-- When the owner last reported that someone else used the account.
ALTER TABLE payout_safeguards ADD COLUMN disowned_at timestamptz;
