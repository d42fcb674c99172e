-- Slugs that projects had: one that was renamed goes on resolving the ids of its tasks and stays taken; of one that was
-- deleted (project 0) the number that its next task would have had, so that no id is ever used twice.
CREATE TABLE former (
  slug    TEXT PRIMARY KEY,
  project BIGINT NOT NULL,
  next_n  BIGINT NOT NULL
);
CREATE INDEX former_project ON former (project);
