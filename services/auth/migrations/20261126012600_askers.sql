-- Who asked for a code or a link: the account itself (block unset) or a visitor from an address block, known to the account
-- or a stranger's. Each has a share of its own (D-A2, D-S8), and what one of them asked for does not end the others'.
ALTER TABLE codes ADD COLUMN block text, ADD COLUMN is_strangers boolean NOT NULL DEFAULT false;
ALTER TABLE reset_tokens ADD COLUMN block text, ADD COLUMN is_strangers boolean NOT NULL DEFAULT false;
ALTER TABLE mail_requests ADD COLUMN block text;

-- Passwords and second factors refused in a session since the last that was right: it ends at ten (D-A9).
ALTER TABLE sessions ADD COLUMN refused_proofs smallint NOT NULL DEFAULT 0;
