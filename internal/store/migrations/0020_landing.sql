-- Where the work on closed tasks was when a command last looked: whether the base has it. closed_at is when the task was
-- closed, so that what was seen of an earlier closing counts no more. detail is JSON that only the program reads.
CREATE TABLE landing (
  task      BIGINT NOT NULL PRIMARY KEY,
  project   BIGINT NOT NULL,
  landed    BIGINT NOT NULL,
  closed_at BIGINT NOT NULL,
  detail    TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX landing_open ON landing (project, landed, task);
