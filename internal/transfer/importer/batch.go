package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// MaxBytes is how many bytes are read of a source.
const MaxBytes = 64 << 20

// Kinds lists what can be imported, in the order of the reference.
var Kinds = []string{
	"beads", "github", "gitea", "jira", "linear", "taskmaster", "backlog", "taskwarrior", "markdown", "csv",
}

// Source is what is read: one file, or the files of a folder.
type Source struct {
	Kind    string
	Project string            // the plan's; a key that reads like one of its ids is given the kind before it
	Files   []File            // one, but for a folder
	Map     map[string]string // of csv: the column of a field
}

// File is one file of a source.
type File struct {
	Name string // as it is told in faults; within a folder relative to it
	Data []byte
}

// Item is a task as a source has it. What a source leaves out is empty, and stays as it is where the task exists.
type Item struct {
	Where    string // the line or record it stands in
	Key      string
	Title    string
	Body     string
	Parent   string   // a key of the source
	Deps     []string // keys of the source
	Status   task.Status
	Priority *int
	Severity task.Severity
	Due      string
	Actor    string // who should do it
	Criteria []Criterion
	Links    []task.Link
	Notes    []string
	Binding  *task.Binding // that the task gets
	Sprint   string        // a plan has no place for sprint and rank: they are set after it
	Rank     string

	Def *plan.TaskDef // the definition itself, where the source has it
}

// Criterion is an acceptance criterion, ticked or not.
type Criterion struct {
	Text    string
	Checked bool
}

// Unplaced is a value that has no place in a plan.
type Unplaced struct {
	Item  string `json:"item"`
	Field string `json:"field"`
	Value string `json:"value"`
}

// maxUnplaced is how many values without a place are listed, and maxValue how many characters of each are shown.
const (
	maxUnplaced = 1000
	maxValue    = 200
)

// Batch is everything that was read of a source.
type Batch struct {
	Kind          string
	Project       string
	Items         []Item
	Gates         map[string][]string // of the project, where the source has them
	Unplaced      []Unplaced          // the first maxUnplaced
	UnplacedTotal int

	columns map[string]string // of csv: the column of a field
	faults  []string          // the first maxFaults
	faulty  int               // how many there are
}

// maxFaults is how many faults of a source are listed.
const maxFaults = 200

// Read reads a source. The error is Invalid, and lists every faulty row with its line or record.
func Read(src Source) (*Batch, error) {
	read, ok := readers[src.Kind]
	if !ok {
		return nil, fault.Bad("there is no kind of import called %s", words.Quoted(src.Kind)).WithHint("the kinds are %s", words.List(Kinds))
	}
	b := &Batch{Kind: src.Kind, Project: src.Project, columns: src.Map}
	size := 0
	for _, f := range src.Files {
		size += len(f.Data)
	}
	if size > MaxBytes {
		return nil, fault.New(fault.TooLarge, "the source has %d bytes, and %d is the most", size, MaxBytes)
	}
	if len(src.Map) > 0 && src.Kind != "csv" {
		return nil, fault.Bad("--map names columns, and %s has none", src.Kind).WithHint("leave it out, or import as csv")
	}
	for _, f := range src.Files {
		read(b, f)
	}
	return b, b.end()
}

// readers reads a file of each kind. Only a folder has several.
var readers = map[string]func(*Batch, File){
	"beads":       readBeads,
	"github":      readIssues("gh-"),
	"gitea":       readIssues("gt-"),
	"jira":        readJira,
	"linear":      readLinear,
	"taskmaster":  readTaskMaster,
	"backlog":     readBacklog,
	"taskwarrior": readTaskwarrior,
	"markdown":    readMarkdown,
	"csv":         readCSV,
}

// fault notes what is wrong with a row.
func (b *Batch) fault(where, format string, args ...any) {
	if b.faulty++; len(b.faults) < maxFaults {
		b.faults = append(b.faults, where+": "+fmt.Sprintf(format, args...))
	}
}

// leave notes a value that has no place.
func (b *Batch) leave(item, field, value string) {
	if value == "" {
		return
	}
	if b.UnplacedTotal++; len(b.Unplaced) < maxUnplaced {
		b.Unplaced = append(b.Unplaced, Unplaced{item, field, shortened(strings.ToValidUTF8(value, "\uFFFD"))})
	}
}

// leaveAll notes values that have no place.
func leaveAll[S ~string](b *Batch, item, field string, values []S) {
	for _, v := range values {
		b.leave(item, field, string(v))
	}
}

func shortened(s string) string {
	if utf8.RuneCountInString(s) <= maxValue {
		return s
	}
	return string([]rune(s)[:maxValue-1]) + "…"
}

// add takes an item, and returns where it stands in Items. Past the most that a plan may hold one place serves all: a source
// that has more is refused, and does not fill the memory before.
func (b *Batch) add(it Item) int {
	if len(b.Items) > task.MaxTasks {
		b.Items[task.MaxTasks] = it
	} else {
		b.Items = append(b.Items, it)
	}
	return len(b.Items) - 1
}

// status returns the status that a word of the source stands for. One that is not known is open, and told.
func (b *Batch) status(item, word string, known map[string]task.Status) task.Status {
	if word == "" {
		return ""
	}
	if s, ok := known[strings.ToLower(strings.TrimSpace(word))]; ok {
		return s
	}
	b.leave(item, "status", word)
	return task.Open
}

// end checks what was read, and refuses it where it is faulty.
func (b *Batch) end() error {
	if len(b.Items) > task.MaxTasks {
		return fault.New(fault.TooLarge, "the source holds more than %d tasks, and that is the most", task.MaxTasks).
			WithHint("split it, and import one part after another; nothing was written")
	}
	b.check()
	return b.refuse()
}

// check finds faults that no reader looks for: texts that no record may have, and keys that are there twice. Then it takes
// out references to what the source does not hold, and tells them.
func (b *Batch) check() {
	at := make(map[string]string, len(b.Items))
	for i := range b.Items {
		it := &b.Items[i]
		switch {
		case it.Key == "":
			b.fault(it.Where, "it has no key, by which it would be found again")
		case at[it.Key] != "":
			b.fault(it.Where, "%s stands in %s already", words.Quoted(it.Key), at[it.Key])
		default:
			at[it.Key] = it.Where
		}
		b.checkTexts(it)
	}
	for i := range b.Items {
		it := &b.Items[i]
		if it.Parent != "" && at[it.Parent] == "" {
			b.leave(it.Key, "parent", it.Parent)
			it.Parent = ""
		}
		it.Deps = slices.DeleteFunc(it.Deps, func(dep string) bool {
			if at[dep] == "" {
				b.leave(it.Key, "dependency", dep)
				return true
			}
			return false
		})
	}
}

// checkTexts finds texts that no record may have. Lengths are the plan's to check.
func (b *Batch) checkTexts(it *Item) {
	texts := []struct{ what, text string }{{"the key", it.Key}, {"the title", it.Title}, {"the text", it.Body}, {"who does it", it.Actor}}
	for _, c := range it.Criteria {
		texts = append(texts, struct{ what, text string }{"a criterion", c.Text})
	}
	for _, l := range it.Links {
		texts = append(texts, struct{ what, text string }{"a link", l.Ref})
	}
	for _, t := range texts {
		if err := task.CheckOptional(t.what, t.text, 1<<62); err != nil {
			b.fault(it.Where, "%s", fault.Of(err).Message)
		}
	}
	for i, n := range it.Notes {
		if err := task.CheckText(fmt.Sprintf("note %d", i+1), n, task.MaxText); err != nil {
			b.fault(it.Where, "%s", fault.Of(err).Message)
		}
	}
}

// refuse makes one refusal of every fault.
func (b *Batch) refuse() error {
	if b.faulty == 0 {
		if len(b.Items) == 0 {
			return fault.Bad("there is nothing to import: the source holds no task").
				WithHint("see whether it is of the kind %s", b.Kind)
		}
		return nil
	}
	e := fault.Bad("the source cannot be imported: %s", words.Count(b.faulty, "fault", "faults")).WithMissing(b.faults...)
	if b.faulty == 1 {
		e.Message = "the source cannot be imported: " + b.faults[0]
	}
	if more := b.faulty - len(b.faults); more > 0 {
		e.WithMissing(fmt.Sprintf("and %d more", more))
	}
	return e.WithHint("correct what is named in the source, or leave it out; nothing was written")
}

// key returns a key of the source as a key of the project: one that reads like an id of the project, and so might name two
// tasks, has the kind before it.
func (b *Batch) key(own string) string {
	own = strings.TrimSpace(own)
	if own != "" && task.ReadsLikeID(b.Project, own, "") {
		return b.Kind + ":" + own
	}
	return own
}

// keys is key for a list; what is blank, and what was there before, is left out.
func (b *Batch) keys(own []string) []string {
	var out []string
	for _, k := range own {
		if k = b.key(k); k != "" && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// priority returns a priority, the nearest that there is.
func priority(n int) *int {
	n = min(max(n, 0), task.MaxPriority)
	return &n
}

// priorities are the words by which tools say how urgent a task is.
var priorities = map[string]int{
	"critical": 0, "highest": 0, "urgent": 0, "high": 1, "h": 1, "medium": 2, "normal": 2, "m": 2, "low": 3, "l": 3, "lowest": 3,
}

// rated reads a word for a priority.
func (b *Batch) rated(item, word string) *int {
	if n, ok := priorities[strings.ToLower(word)]; ok {
		return priority(n)
	}
	b.leave(item, "priority", word)
	return nil
}

// said returns a remark of the source as a note: who wrote it and when stand above it.
func said(author, at, text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if text == "" {
		return ""
	}
	head := strings.TrimSpace(author)
	if at = strings.TrimSpace(at); at != "" {
		head = cmp.Or(head, "somebody") + ", " + at
	}
	if head == "" {
		return text
	}
	return head + ":\n\n" + text
}

// section appends a section to a body, under a heading where there is text before it or the heading is needed.
func section(body, heading, text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return body
	}
	if body != "" {
		body += "\n\n"
	}
	return body + "## " + heading + "\n\n" + text
}

// firstOf returns the first of some texts, "" where there is none.
func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// first returns the first line of a text.
func first(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
