package field

// record is a type of package task that the store reads, and maybe writes: to which table, and in which forms.
type record struct {
	of       string
	table    string   // the table that new rows are inserted into; empty for a record that is only read
	project  bool     // the table has the project's id too
	given    []string // columns of the table that are not fields
	bulk     bool     // many new rows are written at once
	single   bool     // and also one at a time
	compared []string // the groups of columns that are written only if they differ
	forms    []form
}

// form is a selection of a record's fields that some query reads.
type form struct {
	name    string            // empty: the record's own name
	doc     string            // the text after the name in its comment
	only    []string          // only these fields; Claim.Actor is a field of a field
	shown   bool              // only what JSON shows
	except  []string          // but not these
	plus    []string          // and these, regardless of the above
	columns map[string]string // columns that are not in the record's own table, or are expressions
	also    []string          // columns that are not fields: they follow, each with a constant for its position
	places  []string          // fields that are also read on their own, each with a constant for its position
	end     bool              // a constant for the position of the first column that a statement adds after them
	alias   []string          // what statements call the table: "" and "t" give Columns and ColumnsT
}

// records is what the store reads and writes. A field with a db tag is part of every form that does not select its
// fields with only.
var records = []record{
	{of: "Task", table: "task", project: true, bulk: true, compared: []string{"definition", "waits"}, forms: []form{
		{
			doc:   "the row of a task: without body and dependencies, a lapsed lease not yet swept",
			alias: []string{"", "t"}, places: []string{"Key", "Title"},
		},
		{
			name: "ReadyTask", alias: []string{"t"},
			doc:   "what JSON shows of a ready task: it is open, unclaimed and unblocked, and the frontier's row has its preference",
			shown: true, except: []string{"Status", "PreferredActor", "Claim", "OpenDeps", "ClosedAt"}, plus: []string{"NoDeps"},
			columns: map[string]string{"Body": "b.body"},
		},
		{
			name: "BriefTask", alias: []string{"t"},
			doc: "who holds a task, whom it is for and what it waits for",
			only: []string{
				"ID", "Project", "Status", "Autonomy", "MayExecute", "OpenDeps", "Parts", "Questions",
				"Claim.Task", "Claim.Actor", "Claim.ClaimedAt", "Claim.ExpiresAt",
			},
		},
		{
			name: "Neighbour", alias: []string{"t"}, end: true,
			doc: "a task as a line of another's bundle",
			only: []string{
				"ID", "Project", "Title", "Status", "InCircle", "Claim.Actor", "Claim.ExpiresAt", "Recorded", "ClosedBy", "Notes", "Decisions",
			},
		},
		{
			name: "Ancestor", alias: []string{"t"},
			doc:  "a Neighbour with its body",
			only: []string{"ID", "Project", "Title", "Status", "Claim.Actor", "Claim.ExpiresAt"}, plus: []string{"Body"},
			columns: map[string]string{"Body": "b.body"},
		},
		{
			name: "IndexedTask", alias: []string{"t"},
			doc:  "what of a task is found by its words",
			only: []string{"ID", "Key", "Title", "Touches", "Criteria", "Links"}, plus: []string{"Body"},
			columns: map[string]string{"Body": "b.body"},
		},
		{
			name: "TouchingTask", alias: []string{""},
			doc:  "what a held task touches",
			only: []string{"ID", "Project", "Touches", "Claim.Task", "Claim.Actor", "Claim.Fence", "Claim.ClaimedAt", "Claim.ExpiresAt"},
		},
		{
			name: "AgedTask", alias: []string{""},
			doc:  "whom a task is for, and its newest event",
			only: []string{"ID", "Autonomy", "MayExecute", "LastEvent"},
		},
	}},
	{of: "Card", forms: []form{
		{doc: "a card of a task that nobody holds", alias: []string{""}, except: []string{"Status", "Claim"}},
		{name: "HeldCard", doc: "a Card with its claim", alias: []string{""}, except: []string{"Status"}},
	}},
	{of: "Gist", forms: []form{{
		doc: "what an inbox item shows of its task", alias: []string{"t"}, except: []string{"Claim.Version"}, end: true,
	}}},
	{of: "Hold", forms: []form{{
		doc: "a held task h with its newest event e", alias: []string{"h"},
		columns: map[string]string{"Last": "e.id", "LastAt": "e.at", "LastKind": "e.kind"},
	}}},
	{of: "Event", table: "event", bulk: true, forms: []form{{doc: "an event", alias: []string{""}}}},
	{of: "Note", table: "note", forms: []form{{doc: "a note", alias: []string{""}}}},
	{of: "Evidence", table: "evidence", bulk: true, single: true, forms: []form{{doc: "an item of evidence", alias: []string{""}}}},
	{of: "Approval", table: "approval", forms: []form{
		{
			doc: "an approval a of a task t", alias: []string{"a"},
			columns: map[string]string{"Stale": "CASE WHEN a.epoch=t.approval_epoch THEN 0 ELSE 1 END"},
		},
		{
			name: "Approver", doc: "who approved what", alias: []string{"a"},
			only: []string{"ID", "Task", "Kind", "Actor", "Role", "Roles"},
		},
	}},
	{of: "Question", table: "question", project: true, forms: []form{{doc: "a question", alias: []string{""}}}},
	{of: "Decision", table: "decision", forms: []form{{doc: "a decision", alias: []string{""}}}},
	{of: "Binding", table: "binding", forms: []form{{doc: "a binding", alias: []string{""}}}},
	{of: "Session", table: "session", given: []string{"digest"}, forms: []form{{doc: "a session", alias: []string{""}}}},
	{of: "Project", table: "project", given: []string{"id"}, forms: []form{{doc: "a project", alias: []string{""}, also: []string{"id"}}}},
}
