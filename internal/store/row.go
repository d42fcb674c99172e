package store

import (
	"cmp"
	"strings"

	"tasker/internal/task"
)

// taskCols are the columns of a task's row, in the order that scanTask and taskArgs share.
const taskCols = `id, key, title, parent, status, priority, severity, due, gate, autonomy, preferred_actor,
	may_execute, touches, criteria, links, sprint, rank, open_deps, open_children, live_children, questions, notes,
	evidences, approvals, has_body, attempts, version, approval_epoch, doc_status, recorded, created_by, created_at,
	updated_at, closed_by, closed_at, fence, fence_ended, holder, claim_version, claimed_at, renewed_at, expires_at,
	lease_ms, decisions, asked, bound, stirred, awaiting, lapsed, unwatched, has_deps`

// taskColsT are the same columns of a table called t, for joins.
const taskColsT = `t.id, t.key, t.title, t.parent, t.status, t.priority, t.severity, t.due, t.gate, t.autonomy,
	t.preferred_actor, t.may_execute, t.touches, t.criteria, t.links, t.sprint, t.rank, t.open_deps, t.open_children,
	t.live_children, t.questions, t.notes, t.evidences, t.approvals, t.has_body, t.attempts, t.version,
	t.approval_epoch, t.doc_status, t.recorded, t.created_by, t.created_at, t.updated_at, t.closed_by, t.closed_at,
	t.fence, t.fence_ended, t.holder, t.claim_version, t.claimed_at, t.renewed_at, t.expires_at, t.lease_ms,
	t.decisions, t.asked, t.bound, t.stirred, t.awaiting, t.lapsed, t.unwatched, t.has_deps`

// taskInsertCols are the columns of a new row: those of taskCols, the project, and the moment that due means.
func taskInsertCols() []string {
	var out []string
	for c := range strings.SplitSeq(taskCols, ",") {
		out = append(out, strings.TrimSpace(c))
	}
	return append(out, "project", "due_at")
}

// scanTask reads a row as it is kept: without body and dependencies, a lapsed lease not yet swept.
func scanTask(slug string, row Row) (*task.Task, error) {
	t := &task.Task{}
	return t, readTask(slug, row, t)
}

// readTask is scanTask into a task that is there.
func readTask(slug string, row Row, t *task.Task) error {
	*t = task.Task{
		ID: task.MakeID(slug, number(row.Int(0))), Project: slug, Key: row.Text(1), Title: row.Text(2),
		Status: task.Status(row.Text(4)), Priority: int(row.Int(5)), Severity: task.Severity(row.Int(6)),
		Due: task.Opt(row.Text(7)), Gate: task.Opt(row.Text(8)), Autonomy: task.Opt(row.Text(9)),
		PreferredActor: task.Opt(row.Text(10)), Sprint: task.Opt(row.Text(15)), Rank: task.Opt(row.Text(16)),
		OpenDeps: int(row.Int(17)), OpenChildren: int(row.Int(18)), LiveChildren: int(row.Int(19)),
		Questions: int(row.Int(20)), Notes: int(row.Int(21)), Evidences: int(row.Int(22)), Approvals: int(row.Int(23)),
		HasBody: row.Int(24) != 0, Attempts: int(row.Int(25)), Version: row.Int(26), ApprovalEpoch: row.Int(27),
		DocStatus: task.Status(row.Text(28)), Recorded: row.Int(29) != 0, CreatedBy: row.Text(30),
		CreatedAt: task.Time(row.Int(31)), UpdatedAt: task.Time(row.Int(32)), ClosedBy: row.Text(33),
		ClosedAt: task.Time(row.Int(34)), Fence: row.Int(35), FenceEnded: row.Int(36) != 0,
		Decisions: int(row.Int(43)), QuestionCount: int(row.Int(44)), BindingCount: int(row.Int(45)),
		LastEvent: row.Int(46), AwaitingSince: row.Int(47), Lapse: row.Int(48), UnsupervisedClose: row.Int(49), NoDeps: row.Int(50) == 0,
	}
	if parent := row.Int(3); parent != 0 {
		t.Parent = task.Opt(task.MakeID(slug, number(parent)))
	}
	if !row.Null(37) {
		t.Claim = &task.Claim{
			Task: t.ID, Actor: row.Text(37), Fence: t.Fence, Version: row.Int(38), ClaimedAt: task.Time(row.Int(39)),
			RenewedAt: task.Time(row.Int(40)), ExpiresAt: task.Time(row.Int(41)), LeaseMs: row.Int(42),
		}
	}
	return readLists(t, row.Text(11), row.Text(12), row.Text(13), row.Text(14))
}

// readLists reads what is kept as lists.
func readLists(t *task.Task, mayExecute, touches, criteria, links string) error {
	var err1, err2, err3 error
	t.MayExecute, err1 = decodeTexts(mayExecute)
	t.Touches, err2 = decodeTexts(touches)
	t.Criteria, err3 = decodeCriteria(criteria)
	return cmp.Or(err1, err2, err3, decodeList(links, &t.Links))
}

// taskArgs is the inverse of scanTask.
func taskArgs(id int64, t *task.Task) ([]any, error) {
	mayExecute, err1 := encodeList(t.MayExecute)
	touches, err2 := encodeList(t.Touches)
	criteria, err3 := encodeList(t.Criteria)
	links, err4 := encodeList(t.Links)
	for _, err := range []error{err1, err2, err3, err4} {
		if err != nil {
			return nil, err
		}
	}
	var parent any
	if t.Parent != "" {
		_, n, _ := task.ParseID(string(t.Parent))
		parent = ref(id>>shift, n)
	}
	var holder any
	var c task.Claim
	if t.Claim != nil {
		c, holder = *t.Claim, t.Claim.Actor
	}
	return []any{
		id, t.Key, t.Title, parent, string(t.Status), t.Priority, int(t.Severity), string(t.Due), string(t.Gate),
		string(t.Autonomy), string(t.PreferredActor), mayExecute, touches, criteria, links, string(t.Sprint), string(t.Rank),
		t.OpenDeps, t.OpenChildren, t.LiveChildren, t.Questions, t.Notes, t.Evidences, t.Approvals, t.HasBody, t.Attempts,
		t.Version, t.ApprovalEpoch, string(t.DocStatus), t.Recorded, t.CreatedBy, int64(t.CreatedAt), int64(t.UpdatedAt),
		t.ClosedBy, int64(t.ClosedAt), t.Fence, t.FenceEnded, holder, c.Version, int64(c.ClaimedAt), int64(c.RenewedAt),
		int64(c.ExpiresAt), c.LeaseMs, t.Decisions, t.QuestionCount, t.BindingCount, t.LastEvent, t.AwaitingSince, t.Lapse, t.UnsupervisedClose,
		!t.NoDeps,
	}, nil
}

// dueAt is the moment that a due date means, as its column keeps it: null without one.
func dueAt(due task.Opt) any {
	if at, err := task.ParseDue(string(due)); err == nil {
		return int64(at)
	}
	return nil
}
