-- Links to other systems. Where a column is called detail, it is JSON that only the program reads.
CREATE INDEX binding_ref ON binding (system, ref);

-- How a link of a project fares, who owns which field (system 'ownership'), and which process runs the background loop
-- (system 'loop').
CREATE TABLE linked (
  project BIGINT NOT NULL,
  system  TEXT NOT NULL,
  detail  TEXT NOT NULL,
  PRIMARY KEY (project, system)
) WITHOUT ROWID;

-- What both sides of a binding last agreed on, field by field.
CREATE TABLE agreed (
  binding BIGINT PRIMARY KEY,
  task    BIGINT NOT NULL,
  detail  TEXT NOT NULL
);
CREATE INDEX agreed_task ON agreed (task);

-- Fields on which two systems disagree. One that was resolved stays, so that a second resolution can undo the first.
CREATE TABLE conflict (
  id      BIGINT PRIMARY KEY,
  project BIGINT NOT NULL,
  task    BIGINT NOT NULL,
  binding BIGINT NOT NULL,
  state   TEXT NOT NULL,
  event   BIGINT NOT NULL,
  detail  TEXT NOT NULL
);
CREATE INDEX conflict_state ON conflict (project, state, event);
CREATE INDEX conflict_binding ON conflict (binding, state);

-- Values that are to be written to other systems.
CREATE TABLE outbound (
  id      BIGINT PRIMARY KEY,
  project BIGINT NOT NULL,
  task    BIGINT NOT NULL,
  binding BIGINT NOT NULL,
  state   TEXT NOT NULL,
  detail  TEXT NOT NULL
);
CREATE INDEX outbound_state ON outbound (project, state, id);
CREATE INDEX outbound_binding ON outbound (binding);

-- Tasks that another system has closed and that the rules for done keep open here, and what is missing.
CREATE TABLE unclosed (
  task    BIGINT PRIMARY KEY,
  project BIGINT NOT NULL,
  event   BIGINT NOT NULL,
  why     TEXT NOT NULL
);
CREATE INDEX unclosed_project ON unclosed (project, event);
