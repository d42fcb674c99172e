-- Which events of the log a server remembers and does not find in it any more: after that nobody works with the database until
-- a person accepts the loss. 0: none are known to be lost.
ALTER TABLE turn ADD COLUMN lost_from BIGINT NOT NULL DEFAULT 0;
ALTER TABLE turn ADD COLUMN lost_to BIGINT NOT NULL DEFAULT 0;
