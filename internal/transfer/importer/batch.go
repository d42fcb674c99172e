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

// MaxBytes is how many bytes of a source are read.
const MaxBytes = 64 << 20

// Kinds lists what can be imported, in the order of the documentation.
var Kinds = []string{
	"beads", "github", "gitea", "jira", "linear", "taskmaster", "backlog", "taskwarrior", "markdown", "csv",
}

// Source is what to import: one file, or the files of a folder.
type Source struct {
	Kind    string
	Project string            // the plan's; a key that reads like one of its ids gets the kind as prefix
	Files   []File            // one, except for a folder
	Map     map[string]string // for csv: the column of each field
}

// File is one file of a source.
type File struct {
	Name string // as faults name it; relative to the folder if there is one
	Data []byte
}

// Item is a task as a source describes it. What a source leaves out is empty, and stays as it is if
// the task exists.
type Item struct {
	Where    string // the line or record that it is in
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
	Binding  *task.Binding // for the task to get
	Sprint   string        // plans have no sprint and rank: they are set afterwards
	Rank     string

	Def *plan.TaskDef // the definition itself, if the source has it
}

// Criterion is an acceptance criterion, ticked or not.
type Criterion struct {
	Text    string
	Checked bool
	Seen    string // what the tick rests on, if it was ticked by eye
}

// Unplaced is a value that a plan has no place for.
type Unplaced struct {
	Item  string `json:"item"`
	Field string `json:"field"`
	Value string `json:"value"`
}

// maxUnplaced is how many values without a place are listed, and maxValue how many characters of
// each.
const (
	maxUnplaced = 1000
	maxValue    = 200
)

// Batch is everything read from a source.
type Batch struct {
	Kind          string
	Project       string
	Items         []Item
	Gates         map[string][]string // of the project, if the source has them
	Unplaced      []Unplaced          // at most maxUnplaced
	UnplacedTotal int

	columns map[string]string // for csv: the column of each field
	faults  []string          // at most maxFaults
	faulty  int               // how many there are
}

// maxFaults is how many faults of a source are listed.
const maxFaults = 200

// NoKind returns the error for a kind of import that does not exist.
func NoKind(kind string, kinds []string) error {
	return fault.Bad("there is no kind of import called %s", words.Quoted(kind)).WithMissing("KIND").WithHint("the kinds are %s", words.List(kinds))
}

// Read reads a source. Its error has the kind Invalid and lists every faulty row with its line or
// record.
func Read(src Source) (*Batch, error) {
	read, ok := readers[src.Kind]
	if !ok {
		return nil, NoKind(src.Kind, Kinds)
	}
	b := &Batch{Kind: src.Kind, Project: src.Project, columns: src.Map}
	size := 0
	for _, f := range src.Files {
		size += len(f.Data)
	}
	if size > MaxBytes {
		return nil, fault.New(fault.TooLarge, "the source has %d bytes, and at most %d are allowed", size, MaxBytes)
	}
	if len(src.Map) > 0 && src.Kind != "csv" {
		return nil, fault.Bad("--map names columns, and %s has none", src.Kind).WithHint("leave it out, or import as csv")
	}
	for _, f := range src.Files {
		read(b, f)
	}
	return b, b.end()
}

// readers has the reader of each kind. It reads one file; only a folder has several.
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

// fault records what is wrong with a row.
func (b *Batch) fault(where, format string, args ...any) {
	if b.faulty++; len(b.faults) < maxFaults {
		b.faults = append(b.faults, where+": "+fmt.Sprintf(format, args...))
	}
}

// refused records the refusal of a text of a row, unless it is nil.
func (b *Batch) refused(where string, err error) {
	if err != nil {
		b.fault(where, "%s", fault.Of(err).Message)
	}
}

// leave records a value that has no place.
func (b *Batch) leave(item, field, value string) {
	if value == "" {
		return
	}
	if b.UnplacedTotal++; len(b.Unplaced) < maxUnplaced {
		b.Unplaced = append(b.Unplaced, Unplaced{item, field, shortened(strings.ToValidUTF8(value, "\uFFFD"))})
	}
}

// leaveAll records values that have no place.
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

// add appends an item and returns its index in Items. Once there are more items than a plan may
// hold, they all share the last slot: the source will be refused, and must not fill memory until
// then.
func (b *Batch) add(it Item) int {
	if len(b.Items) > task.MaxTasks {
		b.Items[task.MaxTasks] = it
	} else {
		b.Items = append(b.Items, it)
	}
	return len(b.Items) - 1
}

// status returns the status that a word of the source stands for. An unknown word means open and is
// reported.
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

// end checks what was read, and returns a refusal if it is faulty.
func (b *Batch) end() error {
	if len(b.Items) > task.MaxTasks {
		return fault.New(fault.TooLarge, "the source holds more than %d tasks, which is the limit", task.MaxTasks).
			WithHint("split it, and import one part after another; nothing was written")
	}
	b.check()
	return b.refuse()
}

// check finds the faults that no reader looks for: texts that no record may have, and duplicate
// keys. Then it removes references to tasks that are not in the source, and reports them.
func (b *Batch) check() {
	at := make(map[string]string, len(b.Items))
	for i := range b.Items {
		it := &b.Items[i]
		switch {
		case it.Key == "":
			b.fault(it.Where, "it has no key, so it could not be found again")
		case at[it.Key] != "":
			b.fault(it.Where, "%s is already in %s", words.Quoted(it.Key), at[it.Key])
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

// checkTexts finds texts that no record may have. The plan checks their lengths.
func (b *Batch) checkTexts(it *Item) {
	where := it.Where + words.When(it.Key != "", " ("+words.Shown(it.Key)+")")
	if strings.TrimSpace(it.Title) == "" {
		b.fault(where, "it has no title")
	}
	texts := []struct{ what, text string }{{"the key", it.Key}, {"the title", it.Title}, {"the text", it.Body}, {"who does it", it.Actor}}
	seen := 0
	for _, c := range it.Criteria {
		texts = append(texts, struct{ what, text string }{"a criterion", c.Text})
		b.refused(where, task.CheckOptional("what was seen", c.Seen, task.MaxItem))
		seen += len(c.Seen)
	}
	if seen > task.MaxList {
		b.fault(where, "what was seen for its criteria takes %d bytes together, and %d are allowed", seen, task.MaxList)
	}
	for _, l := range it.Links {
		texts = append(texts, struct{ what, text string }{"a link", l.Ref})
	}
	for _, t := range texts {
		b.refused(where, task.CheckOptional(t.what, t.text, 1<<62))
	}
	for i, n := range it.Notes {
		b.refused(where, task.CheckText(fmt.Sprintf("note %d", i+1), n, task.MaxText))
	}
}

// refuse returns all faults as one refusal.
func (b *Batch) refuse() error {
	if b.faulty == 0 {
		if len(b.Items) == 0 {
			return fault.Bad("there is nothing to import: the source holds no task").
				WithHint("check that it is of the kind %s", b.Kind)
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

// key turns a key of the source into a key of the project. A key that reads like an id of the
// project could name two tasks, so it gets the kind as prefix.
func (b *Batch) key(own string) string {
	own = strings.TrimSpace(own)
	if own != "" && task.ReadsLikeID(b.Project, own, "") {
		return b.Kind + ":" + own
	}
	return own
}

// keys is key for a list, without blanks and duplicates.
func (b *Batch) keys(own []string) []string {
	var out []string
	for _, k := range own {
		if k = b.key(k); k != "" && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// priority returns the nearest valid priority.
func priority(n int) *int { return new(min(max(n, 0), task.MaxPriority)) }

// priorities lists the words that tools use for priorities.
var priorities = map[string]int{
	"critical": 0, "highest": 0, "urgent": 0, "high": 1, "h": 1, "medium": 2, "normal": 2, "m": 2, "low": 3, "l": 3, "lowest": 3,
}

// rated parses a word for a priority.
func (b *Batch) rated(item, word string) *int {
	if n, ok := priorities[strings.ToLower(word)]; ok {
		return priority(n)
	}
	b.leave(item, "priority", word)
	return nil
}

// said returns a comment of the source as a note that starts with its author and time.
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

// section appends a section to a body. It adds the heading if the body has text already, or if the
// heading is needed.
func section(body, heading, text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return body
	}
	return body + words.When(body != "", "\n\n") + "## " + heading + "\n\n" + text
}

// firstOf returns the first text of a list, or "".
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
