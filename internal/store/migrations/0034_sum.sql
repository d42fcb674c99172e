-- The checksum of the log up to each event: a process recognizes the log by the event that it remembers, however long the
-- log has become since. Events that were recorded before have none (0).
ALTER TABLE event ADD COLUMN sum BIGINT NOT NULL DEFAULT 0;
-- The newest event when events were last removed: an event up to it may be missing from the log it belongs to.
ALTER TABLE turn ADD COLUMN removed BIGINT NOT NULL DEFAULT 0;
UPDATE turn SET removed = event_id;
