-- postings_undoable takes its place.
DROP INDEX postings_reversible;
