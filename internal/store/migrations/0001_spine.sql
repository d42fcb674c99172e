-- The one row that every turn locks first: the schema's version, and the newest event's id and time.
CREATE TABLE turn (
  id             BIGINT PRIMARY KEY,
  schema_version BIGINT NOT NULL,
  event_id       BIGINT NOT NULL,
  at             BIGINT NOT NULL
);
INSERT INTO turn (id, schema_version, event_id, at) VALUES (1, 0, 0, 0);

-- n_* are counts of tasks, kept by every write; next_n is the number that the next task gets.
CREATE TABLE project (
  id            BIGINT PRIMARY KEY,
  slug          TEXT NOT NULL UNIQUE,
  name          TEXT NOT NULL,
  vision        TEXT NOT NULL,
  gates         TEXT NOT NULL,
  settings      TEXT NOT NULL,
  archived      BIGINT NOT NULL,
  next_n        BIGINT NOT NULL,
  graph_version BIGINT NOT NULL,
  n_open        BIGINT NOT NULL,
  n_in_progress BIGINT NOT NULL,
  n_in_review   BIGINT NOT NULL,
  n_done        BIGINT NOT NULL,
  n_cancelled   BIGINT NOT NULL,
  n_ready       BIGINT NOT NULL,
  n_held        BIGINT NOT NULL,
  n_blocked     BIGINT NOT NULL,
  created_at    BIGINT NOT NULL,
  updated_at    BIGINT NOT NULL
);

-- id is project.id * 2^32 + n, so that a task's id is computed and a project's tasks lie together.
-- Bodies have a table of their own: otherwise a claim would write a long one again.
CREATE TABLE task (
  id              BIGINT PRIMARY KEY,
  project         BIGINT NOT NULL REFERENCES project (id),
  key             TEXT NOT NULL,
  title           TEXT NOT NULL,
  parent          BIGINT,
  status          TEXT NOT NULL,
  priority        BIGINT NOT NULL,
  severity        BIGINT NOT NULL,
  due             TEXT NOT NULL,
  gate            TEXT NOT NULL,
  autonomy        TEXT NOT NULL,
  preferred_actor TEXT NOT NULL,
  may_execute     TEXT NOT NULL,
  touches         TEXT NOT NULL,
  criteria        TEXT NOT NULL,
  links           TEXT NOT NULL,
  sprint          TEXT NOT NULL,
  rank            TEXT NOT NULL,
  open_deps       BIGINT NOT NULL,
  open_children   BIGINT NOT NULL,
  live_children   BIGINT NOT NULL,
  questions       BIGINT NOT NULL,
  notes           BIGINT NOT NULL,
  evidences       BIGINT NOT NULL,
  approvals       BIGINT NOT NULL,
  has_body        BIGINT NOT NULL,
  attempts        BIGINT NOT NULL,
  version         BIGINT NOT NULL,
  approval_epoch  BIGINT NOT NULL,
  doc_status      TEXT NOT NULL,
  recorded        BIGINT NOT NULL,
  created_by      TEXT NOT NULL,
  created_at      BIGINT NOT NULL,
  updated_at      BIGINT NOT NULL,
  closed_by       TEXT NOT NULL,
  closed_at       BIGINT NOT NULL,
  fence           BIGINT NOT NULL,
  fence_ended     BIGINT NOT NULL,
  holder          TEXT, -- null: not held; the other five belong to the hold
  claim_version   BIGINT NOT NULL,
  claimed_at      BIGINT NOT NULL,
  renewed_at      BIGINT NOT NULL,
  expires_at      BIGINT NOT NULL, -- 0: no expiry
  lease_ms        BIGINT NOT NULL
);
CREATE UNIQUE INDEX task_key ON task (project, key);
CREATE INDEX task_parent ON task (parent) WHERE parent IS NOT NULL;
CREATE INDEX task_held ON task (project, holder) WHERE holder IS NOT NULL;
CREATE INDEX task_touching ON task (project, id) WHERE holder IS NOT NULL AND touches <> '';
-- What lapses is found by this one alone: no other index serves its condition, whatever a planner believes.
CREATE INDEX task_lease ON task (expires_at) WHERE expires_at > 0;

CREATE TABLE task_body (
  task BIGINT PRIMARY KEY REFERENCES task (id),
  body TEXT NOT NULL
);

-- task waits for on_task.
CREATE TABLE dep (
  task    BIGINT NOT NULL REFERENCES task (id),
  on_task BIGINT NOT NULL REFERENCES task (id),
  PRIMARY KEY (task, on_task)
) WITHOUT ROWID;
CREATE INDEX dep_on ON dep (on_task, task);

-- An order that is kept for a project: its keys, joined by commas.
CREATE TABLE policy (
  id      BIGINT PRIMARY KEY,
  project BIGINT NOT NULL REFERENCES project (id),
  keys    TEXT NOT NULL,
  UNIQUE (project, keys)
);

-- What routing asks of an actor: the declared autonomy and mayExecute of tasks, interned.
CREATE TABLE route (
  id          BIGINT PRIMARY KEY,
  project     BIGINT NOT NULL REFERENCES project (id),
  autonomy    TEXT NOT NULL,
  may_execute TEXT NOT NULL,
  UNIQUE (project, autonomy, may_execute)
);

-- Every open task once for each order that the project keeps: ready ones by route (1 and up), held ones (0), those
-- that a blocking question alone holds back (-1), that wait (-2), that are in progress and not held (-3), in review
-- (-4). In the order of the policy: k1, the bias of pref for the one who asks, k2, the number.
CREATE TABLE frontier (
  policy BIGINT NOT NULL,
  route  BIGINT NOT NULL,
  k1     BLOB NOT NULL,
  pref   TEXT NOT NULL,
  k2     BLOB NOT NULL,
  task   BIGINT NOT NULL,
  PRIMARY KEY (policy, route, k1, pref, k2, task)
) WITHOUT ROWID;
CREATE INDEX frontier_preferred ON frontier (policy, route, k1, k2, task) WHERE pref <> '';

-- What is recorded about a task has the id of the event that reports it.
CREATE TABLE note (
  id    BIGINT PRIMARY KEY,
  task  BIGINT NOT NULL REFERENCES task (id),
  actor TEXT NOT NULL,
  text  TEXT NOT NULL,
  at    BIGINT NOT NULL
);
CREATE INDEX note_task ON note (task, id);

CREATE TABLE evidence (
  id    BIGINT PRIMARY KEY,
  task  BIGINT NOT NULL REFERENCES task (id),
  actor TEXT NOT NULL,
  kind  TEXT NOT NULL,
  value TEXT NOT NULL,
  note  TEXT NOT NULL,
  at    BIGINT NOT NULL
);
CREATE INDEX evidence_task ON evidence (task, id);

CREATE TABLE approval (
  id    BIGINT PRIMARY KEY,
  task  BIGINT NOT NULL REFERENCES task (id),
  kind  TEXT NOT NULL,
  actor TEXT NOT NULL,
  role  TEXT NOT NULL,
  roles TEXT NOT NULL,
  note  TEXT NOT NULL,
  at    BIGINT NOT NULL,
  epoch BIGINT NOT NULL
);
CREATE INDEX approval_task ON approval (task, id);

CREATE TABLE question (
  id          BIGINT PRIMARY KEY,
  task        BIGINT NOT NULL REFERENCES task (id),
  actor       TEXT NOT NULL,
  addressee   TEXT NOT NULL,
  text        TEXT NOT NULL,
  blocking    BIGINT NOT NULL,
  asked_at    BIGINT NOT NULL,
  answer      TEXT NOT NULL,
  answered_by TEXT NOT NULL,
  answered_at BIGINT NOT NULL,
  withdrawn   BIGINT NOT NULL
);
CREATE INDEX question_task ON question (task, id);

CREATE TABLE event (
  id      BIGINT PRIMARY KEY,
  at      BIGINT NOT NULL,
  project BIGINT NOT NULL, -- 0: none
  task    BIGINT NOT NULL, -- 0: none
  actor   TEXT NOT NULL,
  kind    TEXT NOT NULL,
  payload TEXT NOT NULL,
  batch   BIGINT NOT NULL,
  via     TEXT NOT NULL
);
CREATE INDEX event_project ON event (project, id);
CREATE INDEX event_task ON event (task, id);

CREATE TABLE idempotency (
  actor  TEXT NOT NULL,
  path   TEXT NOT NULL,
  key    TEXT NOT NULL,
  digest TEXT NOT NULL,
  answer TEXT NOT NULL,
  at     BIGINT NOT NULL,
  PRIMARY KEY (actor, path, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_at ON idempotency (at);
