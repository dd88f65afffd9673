-- Since when the payout of a trade waits because its plan's cash does not cover the gain.
ALTER TABLE trades ADD COLUMN cash_short_since timestamptz;
