-- The tasks that are held are few and have an index of their own: a claim has nothing to add to that of the states.
DROP INDEX task_state;
CREATE INDEX task_state ON task (project, (CASE status WHEN 'open' THEN CASE WHEN open_deps>0 OR parts>0 THEN 1 WHEN questions>0 THEN 2 ELSE 0 END
  WHEN 'in_progress' THEN CASE WHEN holder IS NULL THEN 4 ELSE 3 END WHEN 'in_review' THEN 5 WHEN 'done' THEN 6 ELSE 7 END), id) WHERE holder IS NULL;
