-- What the rules for closings need: who held a task last, who moved it to review, and the event by which it was sent back,
-- while nothing has been ticked or shown since.
ALTER TABLE task ADD COLUMN last_holder TEXT NOT NULL DEFAULT '';
ALTER TABLE task ADD COLUMN review_by TEXT NOT NULL DEFAULT '';
ALTER TABLE task ADD COLUMN returned BIGINT NOT NULL DEFAULT 0;
UPDATE task SET last_holder=holder WHERE holder IS NOT NULL;
UPDATE task SET review_by=COALESCE((SELECT e.actor FROM event e WHERE e.task=task.id AND e.kind='task.moved' ORDER BY e.id DESC LIMIT 1), ''),
  last_holder=COALESCE((SELECT e.actor FROM event e WHERE e.task=task.id AND e.kind='task.claimed' ORDER BY e.id DESC LIMIT 1), '')
  WHERE status='in_review';
