-- A project that was merged into another: the numbers of its tasks are larger by shift there, and were below next_n.
ALTER TABLE former ADD COLUMN shift BIGINT NOT NULL DEFAULT 0;
