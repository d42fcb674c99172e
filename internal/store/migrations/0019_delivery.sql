-- A channel is where inbox items are delivered: a type and a target, of which only a digest is stored, since a target may
-- hold a credential. cursor is the newest event whose items were put into the queue, stalls the same by time. The process
-- that delivers holds the lease.
CREATE TABLE channel (
  id         TEXT PRIMARY KEY,
  cursor     BIGINT NOT NULL,
  stalls     BIGINT NOT NULL,
  holder     TEXT NOT NULL, -- '': nobody
  expires_at BIGINT NOT NULL
);

-- The deliveries of inbox items, by channel in the order of their ids. generation is that of the database: after a restore,
-- the pending ones of an earlier generation are held. detail is JSON that only the program reads.
CREATE TABLE delivery (
  id         BIGINT PRIMARY KEY,
  channel    TEXT NOT NULL,
  project    BIGINT NOT NULL,
  item       TEXT NOT NULL,
  cause      BIGINT NOT NULL,
  state      TEXT NOT NULL,
  generation BIGINT NOT NULL,
  detail     TEXT NOT NULL
);
CREATE UNIQUE INDEX delivery_cause ON delivery (channel, item, cause);
CREATE INDEX delivery_pending ON delivery (channel, id) WHERE state = 'pending';
CREATE INDEX delivery_project ON delivery (project);
