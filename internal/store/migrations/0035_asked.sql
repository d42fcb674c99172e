-- Open questions that block nothing: people find them in the inbox, and agents hear of those that are put to them.
CREATE INDEX question_asked ON question (project, id) WHERE blocking=0 AND answered_at=0 AND withdrawn=0;
