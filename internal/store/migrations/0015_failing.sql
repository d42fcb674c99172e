-- Since which event a task is in progress and held by nobody; how often it failed (its lease ran out, it was released as
-- failed, or sent back from review) since a human acknowledged that, or it was closed; the newest of these failures once
-- there are three, and the one up to which a human has acknowledged them.
ALTER TABLE task ADD COLUMN unheld BIGINT NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN failures BIGINT NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN failing BIGINT NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN acknowledged BIGINT NOT NULL DEFAULT 0;
UPDATE task SET unheld=COALESCE((SELECT MAX(e.id) FROM event e WHERE e.task=task.id
  AND (e.kind='task.moved' OR e.kind='task.created')), stirred) WHERE status='in_progress' AND holder IS NULL;
UPDATE task SET failures=(SELECT COUNT(*) FROM event e WHERE e.task=task.id
  AND (e.kind='claim.expired' OR e.kind='claim.released' AND e.payload LIKE '%"failed":true%'
    OR e.kind='task.moved' AND e.payload LIKE '%"from":"in_review"%')
  AND e.id>COALESCE((SELECT MAX(c.id) FROM event c WHERE c.task=task.id AND c.kind='task.moved'
    AND (c.payload LIKE '%"to":"done"%' OR c.payload LIKE '%"to":"cancelled"%')), 0))
  WHERE status<>'done' AND status<>'cancelled';
UPDATE task SET failing=(SELECT MAX(e.id) FROM event e WHERE e.task=task.id
  AND (e.kind='claim.expired' OR e.kind='claim.released' AND e.payload LIKE '%"failed":true%'
    OR e.kind='task.moved' AND e.payload LIKE '%"from":"in_review"%')) WHERE failures>=3;
CREATE INDEX task_unheld ON task (project, unheld) WHERE unheld>0;
CREATE INDEX task_failing ON task (project, failing) WHERE failing>0;
