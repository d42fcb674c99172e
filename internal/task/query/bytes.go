package query

import "tasker/internal/task"

// Page is how much of a list is read at once: up to Records records, and, after the first record, no more than Bytes
// bytes. A page is never empty if there is a record, so a reader that continues from its end always makes progress.
// Zero means no limit.
type Page struct {
	Records int
	Bytes   int
}

// Taken counts the records and bytes of a page so far.
type Taken struct {
	of      Page
	records int
	bytes   int
}

// Taken returns the count of an empty page.
func (p Page) Taken() *Taken { return &Taken{of: p} }

// Full reports whether the page has no room for another record.
func (t *Taken) Full() bool {
	return t.of.Records > 0 && t.records >= t.of.Records || t.of.Bytes > 0 && t.bytes >= t.of.Bytes
}

// Add adds a record of some bytes, and reports whether it is part of the page.
func (t *Taken) Add(bytes int) bool {
	if t.records > 0 && (t.Full() || t.of.Bytes > 0 && t.bytes+bytes > t.of.Bytes) {
		return false
	}
	t.records++
	t.bytes += bytes
	return true
}

// firstRun is how many records a page reads first, before their size is known.
const firstRun = 100

// runLengths are the further lengths: few, so that statements with a limit stay prepared.
var runLengths = []int{8, 32, 128, 1000}

// Run returns how many records the next statement should ask for, so that it fetches little that does not fit on the
// page; 0 means no limit.
func (t *Taken) Run() int {
	left := t.of.Records - t.records
	switch {
	case t.of.Records == 0:
		return 0
	case t.of.Bytes == 0:
		return left
	case t.records == 0:
		return min(left, firstRun)
	}
	room := (t.of.Bytes - t.bytes) / max(1, t.bytes/t.records) // for records of the average size so far
	n := runLengths[0]
	for _, length := range runLengths {
		if length <= room {
			n = length
		}
	}
	return min(n, left)
}

// How many tasks of a page are filled at once: while their bodies are small, and once they are not.
const (
	fillMany = 64
	fillFew  = 4
)

// Fill fills as many of the tasks as fit on the page, and returns how many. fill loads what is stored outside their
// rows; if limit is not 0, it may stop after more bytes than that, and return false.
func (p Page) Fill(tasks []*task.Task, fill func(limit int, run []*task.Task) (whole bool, err error)) (fit int, err error) {
	taken := p.Taken()
	for n, limit := fillMany, p.Bytes; fit < len(tasks); {
		run := tasks[fit:min(len(tasks), fit+n)]
		whole, err := fill(limit, run)
		if err != nil {
			return 0, err
		}
		if !whole {
			n, limit = fillFew, 0
			continue
		}
		for _, t := range run {
			if !taken.Add(TaskBytes(t)) {
				return fit, nil
			}
			fit++
		}
	}
	return fit, nil
}

// fixed is what a record takes in addition to its texts: names, numbers and times.
const fixed = 512

// TaskBytes returns about how many bytes a task takes, in memory or as JSON.
func TaskBytes(t *task.Task) int {
	n := fixed + len(t.Key) + len(t.Title) + len(t.Body) + 24*len(t.Deps)
	for _, s := range t.MayExecute {
		n += 24 + len(s)
	}
	for _, s := range t.Touches {
		n += 24 + len(s)
	}
	for i := range t.Criteria {
		n += 96 + len(t.Criteria[i].Text)
	}
	for i := range t.Links {
		n += 64 + len(t.Links[i].Ref) + len(t.Links[i].Note)
	}
	return n
}

// EventsBytes returns about how many bytes events take.
func EventsBytes(events []task.Event) (n int) {
	for i := range events {
		n += EventBytes(&events[i])
	}
	return n
}

// EventBytes returns about how many bytes an event takes.
func EventBytes(e *task.Event) int { return fixed + len(e.Payload) }

// EvidenceBytes returns about how many bytes an item of evidence takes.
func EvidenceBytes(e *task.Evidence) int {
	return fixed + len(e.Value) + len(e.Note) + len(e.Output) + len(e.Doubt)
}
