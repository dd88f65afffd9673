-- no-transaction
CREATE INDEX CONCURRENTLY proposals_of_treasury ON proposals (decided_at DESC, id DESC) WHERE status = 'confirmed' AND is_treasury(kind);
