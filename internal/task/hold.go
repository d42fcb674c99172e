package task

// Hold is a task that an actor holds, with its progress and its newest event (0 if it has none).
type Hold struct {
	Task      ID       `db:"id"`
	Title     string   `db:"title"`
	Actor     string   `db:"holder"` // with its instance
	Since     Time     `db:"claimed_at"`
	ExpiresAt Time     `db:"expires_at"`
	LeaseMs   int64    `db:"lease_ms"`
	Questions int      `db:"questions"` // open blocking ones
	Progress  Progress `db:"criteria"`
	Last      int64
	LastAt    Time
	LastKind  Kind
}
