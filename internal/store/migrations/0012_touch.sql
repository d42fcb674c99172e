-- Where the globs of held tasks begin: a directory with its slash, "" for anywhere. To find the held tasks that may touch
-- the same paths as another, one reads the directories above its own and below them, and not everything that is held. Go
-- fills it for what is held already.
CREATE TABLE touch (
  project BIGINT NOT NULL,
  start   TEXT NOT NULL,
  task    BIGINT NOT NULL,
  PRIMARY KEY (project, start, task)
) WITHOUT ROWID;
