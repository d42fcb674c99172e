-- What people and agents say beside a task, and how far each reader has read.
CREATE TABLE decision (
  id        BIGINT PRIMARY KEY,
  task      BIGINT NOT NULL REFERENCES task (id),
  actor     TEXT NOT NULL,
  title     TEXT NOT NULL,
  rationale TEXT NOT NULL,
  at        BIGINT NOT NULL
);
CREATE INDEX decision_task ON decision (task, id);

CREATE TABLE binding (
  id        BIGINT PRIMARY KEY,
  task      BIGINT NOT NULL REFERENCES task (id),
  system    TEXT NOT NULL,
  kind      TEXT NOT NULL,
  ref       TEXT NOT NULL,
  url       TEXT NOT NULL,
  state     TEXT NOT NULL,
  synced_at BIGINT NOT NULL,
  UNIQUE (task, system, kind, ref)
);

-- The newest event that a reader was shown, and the inbox items that it has put away.
CREATE TABLE mark (
  actor TEXT PRIMARY KEY,
  event BIGINT NOT NULL
);
CREATE TABLE seen (
  actor TEXT NOT NULL,
  item  TEXT NOT NULL,
  event BIGINT NOT NULL,
  PRIMARY KEY (actor, item)
) WITHOUT ROWID;

-- Fingerprints of the guidance that was tracked when a task was claimed.
CREATE TABLE guidance (
  task  BIGINT PRIMARY KEY REFERENCES task (id),
  fence BIGINT NOT NULL,
  files TEXT NOT NULL
);

ALTER TABLE task ADD COLUMN decisions BIGINT NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN asked BIGINT NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN bound BIGINT NOT NULL DEFAULT 0;

-- flow_version grows whenever the open tasks of a project, or the dependencies among them, change.
ALTER TABLE project ADD COLUMN flow_version BIGINT NOT NULL DEFAULT 1;

CREATE INDEX task_closed ON task (project, status, closed_at, id) WHERE closed_at > 0;
CREATE INDEX event_actor ON event (project, actor, id);
CREATE INDEX event_kind ON event (project, kind, id) WHERE kind <> 'task.created' AND kind <> 'task.claimed' AND kind <> 'criterion.checked';
