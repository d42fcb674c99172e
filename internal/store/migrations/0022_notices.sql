-- What another system caused about a task and a person should look at, by its name within the task.
CREATE TABLE notice (
  task    BIGINT NOT NULL,
  name    TEXT NOT NULL,
  project BIGINT NOT NULL,
  event   BIGINT NOT NULL,
  why     TEXT NOT NULL,
  PRIMARY KEY (task, name)
) WITHOUT ROWID;
CREATE INDEX notice_project ON notice (project, event);
