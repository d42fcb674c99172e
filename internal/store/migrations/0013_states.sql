-- n_blocked counts the open tasks that wait: for a dependency, or for a part. It counted any that had an open dependency.
UPDATE project SET n_blocked=(SELECT COUNT(*) FROM task WHERE task.project=project.id AND status='open' AND holder IS NULL
  AND (open_deps>0 OR parts>0));

-- In the table tally, 'asked' counts the tasks that an open blocking question keeps back, whatever else keeps them back.
-- Those that it alone keeps back follow from the project's own counts.
DELETE FROM tally WHERE what='route' AND at=-1;
INSERT INTO tally (project, what, at, n) SELECT project, 'asked', 0, COUNT(*) FROM task
  WHERE questions>0 AND holder IS NULL AND (status='open' OR status='in_progress') GROUP BY project;
