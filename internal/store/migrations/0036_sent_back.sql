-- The newest return or reopening of a task, whether or not something has answered it: what was run or approved before it does
-- not count. Of a task that is open again, the newest move out of a closed status is that reopening.
ALTER TABLE task ADD COLUMN sent_back BIGINT NOT NULL DEFAULT 0;
UPDATE task SET sent_back=returned WHERE returned<>0;
UPDATE task SET sent_back=COALESCE((SELECT MAX(e.id) FROM event e WHERE e.task=task.id AND e.kind='task.moved'
    AND (e.payload LIKE '%,"from":"done",%' OR e.payload LIKE '%,"from":"cancelled",%')), 0)
  WHERE returned=0 AND status IN ('open', 'in_progress', 'in_review');
