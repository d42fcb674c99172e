-- Events are found by their kind, whichever it is: a search for task.claimed finds the claims.
DROP INDEX event_kind;
CREATE INDEX event_kind ON event (project, kind, id);
