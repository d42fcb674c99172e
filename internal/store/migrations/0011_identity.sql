-- A database knows itself: by a number of its own, by how often it was restored, and by a checksum over its log. A server
-- that finds another one in its place, or a log that was rewound, does not go on with it.
ALTER TABLE turn ADD COLUMN instance BIGINT NOT NULL DEFAULT 0;
ALTER TABLE turn ADD COLUMN generation BIGINT NOT NULL DEFAULT 1;
ALTER TABLE turn ADD COLUMN sum BIGINT NOT NULL DEFAULT 0;
-- only sqlite
UPDATE turn SET instance = 1 + abs(random() % 9000000000000000000);
-- only postgres
UPDATE turn SET instance = 1 + ('x' || substr(md5(random()::text || clock_timestamp()::text), 1, 15))::bit(60)::bigint;
