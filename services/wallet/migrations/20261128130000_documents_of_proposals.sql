-- no-transaction
CREATE INDEX CONCURRENTLY proposals_document_file ON proposals ((change->>'document_file')) WHERE change->>'document_file' IS NOT NULL;
