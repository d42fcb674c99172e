-- Where each runner of commands stands, as it said last. It is shown until ends, and stays where it stopped by itself: then task is
-- the last task that it names, and event is its end; both are 0 otherwise. tasks are the numbers of the tasks that it works on, or
-- that its end is about.
CREATE TABLE runner (
  project  BIGINT NOT NULL,
  actor    TEXT NOT NULL,
  host     TEXT NOT NULL,
  name     TEXT NOT NULL,
  state    TEXT NOT NULL,
  workers  BIGINT NOT NULL,
  tasks    TEXT NOT NULL,
  until_at BIGINT NOT NULL,
  why      TEXT NOT NULL,
  since    BIGINT NOT NULL,
  ends     BIGINT NOT NULL,
  task     BIGINT NOT NULL,
  event    BIGINT NOT NULL,
  PRIMARY KEY (project, actor, host)
) WITHOUT ROWID;
CREATE INDEX runner_event ON runner (project, event) WHERE event > 0;
CREATE INDEX runner_task ON runner (task) WHERE task > 0;
