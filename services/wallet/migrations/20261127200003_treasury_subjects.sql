-- no-transaction
CREATE INDEX CONCURRENTLY proposals_of_treasury_subject ON proposals (subject_id, decided_at, id) WHERE status = 'confirmed' AND is_treasury(kind);
