-- The paths that were changed since a task was claimed, as the command saw them that handed it over or closed it: paths is
-- JSON that only the program reads, total how many there were. closed_at is when the task was closed as done, 0 while it is
-- in review: what was recorded for an earlier closing counts no more.
CREATE TABLE changed (
  task      BIGINT NOT NULL PRIMARY KEY,
  project   BIGINT NOT NULL,
  closed_at BIGINT NOT NULL,
  total     BIGINT NOT NULL,
  paths     TEXT NOT NULL
) WITHOUT ROWID;
-- The same for done tasks, by path: finds later work on the same files.
CREATE TABLE changed_path (
  project   BIGINT NOT NULL,
  path      TEXT NOT NULL,
  closed_at BIGINT NOT NULL,
  task      BIGINT NOT NULL,
  PRIMARY KEY (project, path, closed_at, task)
) WITHOUT ROWID;
CREATE INDEX changed_path_task ON changed_path (task);
