-- Where the work on tasks happens, machine by machine: written before anything is made there. detail is JSON that only
-- the program reads.
CREATE TABLE workspace (
  task    BIGINT NOT NULL,
  host    TEXT NOT NULL,
  project BIGINT NOT NULL,
  path    TEXT NOT NULL,
  state   TEXT NOT NULL,
  version BIGINT NOT NULL,
  detail  TEXT NOT NULL,
  PRIMARY KEY (task, host)
) WITHOUT ROWID;
CREATE INDEX workspace_host ON workspace (host, task);
CREATE INDEX workspace_project ON workspace (project, task);

-- The ports that workspaces of a machine have.
CREATE TABLE port (
  host TEXT NOT NULL,
  port BIGINT NOT NULL,
  task BIGINT NOT NULL,
  PRIMARY KEY (host, port)
) WITHOUT ROWID;
CREATE INDEX port_task ON port (task);

-- How many workspaces a project has, so that a task of one that has none is shown without looking for it.
ALTER TABLE project ADD COLUMN n_workspaces BIGINT NOT NULL DEFAULT 0;
