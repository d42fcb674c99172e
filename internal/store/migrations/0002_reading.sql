-- What people and agents say about a task, and how far each reader has read.
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
-- stamp tells one occurrence of an item from the next: see task.Waiting. A row of task project * 2^32 says that
-- everything of one sort up to stamp was put away.
CREATE TABLE seen (
  actor TEXT NOT NULL,
  task  BIGINT NOT NULL,
  item  TEXT NOT NULL,
  stamp BIGINT NOT NULL,
  PRIMARY KEY (actor, task, item)
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

-- Events that reads ask a task for: stirred, the newest that changed it or where it stands; awaiting, since which it
-- waits for people to judge it; lapsed, the end of its newest claim's lease; unwatched, by which an agent closed it
-- though it was supervised. 0: there is none.
ALTER TABLE task ADD COLUMN stirred BIGINT NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN awaiting BIGINT NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN lapsed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN unwatched BIGINT NOT NULL DEFAULT 0;
-- The moment that due means; null without one.
ALTER TABLE task ADD COLUMN due_at BIGINT;
UPDATE task SET stirred=COALESCE((SELECT MAX(e.id) FROM event e WHERE e.task=task.id), 0);
UPDATE task SET awaiting=COALESCE((SELECT MAX(e.id) FROM event e WHERE e.task=task.id
  AND (e.kind='task.moved' OR e.kind='task.created')), stirred) WHERE status='in_review';
UPDATE task SET lapsed=COALESCE((SELECT MAX(e.id) FROM event e WHERE e.task=task.id AND e.kind='claim.expired'
  AND NOT EXISTS (SELECT 1 FROM event c WHERE c.task=task.id AND c.kind='task.claimed' AND c.id>e.id)), 0)
  WHERE holder IS NULL AND fence>0 AND status<>'done' AND status<>'cancelled';
-- only sqlite
UPDATE task SET due_at=CASE LENGTH(due) WHEN 10 THEN (CAST(strftime('%s', due) AS BIGINT)+86400)*1000000-1
  ELSE CAST(strftime('%s', due) AS BIGINT)*1000000 END WHERE due<>'';
-- only postgres
UPDATE task SET due_at=CASE LENGTH(due) WHEN 10 THEN (EXTRACT(EPOCH FROM (due || 'T00:00:00Z')::TIMESTAMPTZ)::BIGINT+86400)*1000000-1
  ELSE EXTRACT(EPOCH FROM due::TIMESTAMPTZ)::BIGINT*1000000 END WHERE due<>'';
CREATE INDEX task_ready ON task (project, stirred) WHERE status='open' AND holder IS NULL AND open_deps=0 AND live_children=0 AND questions=0;
CREATE INDEX task_awaiting ON task (project, awaiting, status, gate, approvals) WHERE awaiting>0;
CREATE INDEX task_lapsed ON task (project, lapsed) WHERE lapsed>0;
CREATE INDEX task_unwatched ON task (project, unwatched) WHERE unwatched>0;
CREATE INDEX task_stalling ON task (project, (expires_at-lease_ms*500)) WHERE holder IS NOT NULL AND expires_at>0;
CREATE INDEX task_due ON task (project, due_at) WHERE due_at IS NOT NULL AND status<>'done' AND status<>'cancelled';

ALTER TABLE question ADD COLUMN project BIGINT NOT NULL DEFAULT 0;
UPDATE question SET project=task/4294967296;
CREATE INDEX question_open ON question (project, id) WHERE blocking=1 AND answered_at=0 AND withdrawn=0;

-- Counts of a project's tasks that reads show without counting: what 'due', open ones by the day they are due;
-- 'closed', closed ones by the day; 'route', ready ones by route, and those that a question alone holds back (-1).
-- Days count from 1970.
CREATE TABLE tally (
  project BIGINT NOT NULL,
  what    TEXT NOT NULL,
  at      BIGINT NOT NULL,
  n       BIGINT NOT NULL,
  PRIMARY KEY (project, what, at)
) WITHOUT ROWID;
INSERT INTO tally (project, what, at, n) SELECT project, 'due', due_at/86400000000, COUNT(*) FROM task
  WHERE due_at IS NOT NULL AND status<>'done' AND status<>'cancelled' GROUP BY project, due_at/86400000000;
INSERT INTO tally (project, what, at, n) SELECT project, 'closed', closed_at/86400000000, COUNT(*) FROM task
  WHERE closed_at>0 GROUP BY project, closed_at/86400000000;
INSERT INTO tally (project, what, at, n) SELECT p.project, 'route', f.route, COUNT(*) FROM frontier f JOIN policy p ON p.id=f.policy
  WHERE (f.route>0 OR f.route=-1) AND p.id=(SELECT MIN(q.id) FROM policy q WHERE q.project=p.project) GROUP BY p.project, f.route;

CREATE INDEX task_closed ON task (project, status, closed_at, id) WHERE closed_at > 0;
CREATE INDEX event_actor ON event (project, actor, id);
CREATE INDEX event_kind ON event (project, kind, id) WHERE kind <> 'task.created' AND kind <> 'task.claimed' AND kind <> 'criterion.checked';
