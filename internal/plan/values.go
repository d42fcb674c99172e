package plan

import (
	"tasker/internal/fault"
	"tasker/internal/glob"
	"tasker/internal/strict"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// The grammar of task.ParseDue as regular expressions, for the schema.
const (
	dayPattern = `[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))` +
		`|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29`
	duePattern = `(?:` + dayPattern + `)(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9]))?`
)

// maxSafe is the largest whole number that every JSON reader keeps exactly.
const maxSafe = 1<<53 - 1

// values are the rules for values that several names of a document share.
type values struct {
	oneName  strict.Text[string]
	kinds    strict.List[string]
	names    strict.List[string]
	items    strict.List[string] // criteria to remove, as they read
	criteria strict.List[string]
	globs    strict.List[string]
	refs     strict.List[string]
	slug     strict.Text[string]
	optSlug  strict.Text[task.Opt]
	name     strict.Text[task.Opt]
	key      strict.Text[string]
	due      strict.Text[task.Opt]
	number   strict.Maybe[int64]
	autonomy strict.Enum[task.Opt]
	status   strict.Enum[task.Status]
	link     *strict.Object[task.Link]
	evidence *strict.Object[task.EvidenceItem]
}

func newValues() values {
	oneName := strict.Text[string]{Min: 1, Max: task.MaxName, Line: true}
	oneKind := oneName
	oneKind.Fits = fitsKind
	fitsSlug := fits(task.CheckSlug)
	return values{
		oneName: oneName,
		kinds:   strict.List[string]{Item: oneKind, Max: task.MaxListed, Bytes: task.MaxList, Size: textSize},
		names:   strict.List[string]{Item: oneName, Max: task.MaxListed, Bytes: task.MaxList, Size: textSize},
		items:   strict.List[string]{Item: strict.Text[string]{Min: 1, Max: task.MaxItem}, Max: task.MaxListed, Bytes: task.MaxList, Size: textSize},
		criteria: strict.List[string]{
			Item: strict.Text[string]{Min: 1, Max: task.MaxItem, Fits: fitsCriterion},
			Max:  task.MaxListed, Bytes: task.MaxList, Size: textSize,
		},
		globs: strict.List[string]{
			Item: strict.Text[string]{Min: 1, Max: task.MaxItem, Fits: fitsGlob},
			Max:  task.MaxListed, Bytes: task.MaxList, Size: textSize,
		},
		refs:     strict.List[string]{Item: strict.Text[string]{Min: 1, Max: task.MaxKey}, Max: task.MaxTasks},
		slug:     strict.Text[string]{Min: 1, Max: task.MaxSlug, Fits: fitsSlug, Pattern: task.SlugPattern},
		optSlug:  strict.Text[task.Opt]{Max: task.MaxSlug, Fits: fitsSlug, Pattern: task.SlugPattern},
		name:     strict.Text[task.Opt]{Max: task.MaxName, Line: true},
		key:      strict.Text[string]{Min: 1, Max: task.MaxKey, Visible: true},
		due:      strict.Text[task.Opt]{Max: 40, Fits: fits(checkDue), Pattern: duePattern},
		number:   strict.Maybe[int64]{Rule: strict.Whole[int64]{Max: maxSafe}},
		autonomy: strict.Enum[task.Opt]{Words: words.Each(task.Autonomies, func(a task.Autonomy) string { return string(a) }), Blank: true},
		status:   strict.Enum[task.Status]{Words: task.StatusNames(), Blank: true},
		link: &strict.Object[task.Link]{Props: []strict.Prop[task.Link]{
			strict.Required("kind", "", strict.Enum[string]{Words: task.LinkKinds}, func(l *task.Link) *string { return &l.Kind }),
			strict.Required("ref", "", strict.Text[string]{Min: 1, Max: task.MaxItem}, func(l *task.Link) *string { return &l.Ref }),
			strict.Optional("note", "", strict.Null(strict.Text[task.Opt]{Max: task.MaxItem}), func(l *task.Link) *task.Opt { return &l.Note }),
		}},
		evidence: &strict.Object[task.EvidenceItem]{Props: []strict.Prop[task.EvidenceItem]{
			strict.Required("kind", "the kind that gates ask for", oneKind, func(e *task.EvidenceItem) *string { return &e.Kind }),
			strict.Required("value", "", strict.Text[string]{Min: 1, Max: task.MaxText, Bytes: true}, func(e *task.EvidenceItem) *string { return &e.Value }),
			strict.Optional("note", "", strict.Null(strict.Text[task.Opt]{Max: task.MaxText, Bytes: true}), func(e *task.EvidenceItem) *task.Opt { return &e.Note }),
		}},
	}
}

func textSize(text string) int { return len(text) }

func linkSize(l task.Link) int { return len(l.Ref) + len(l.Note) }

func checkDue(s string) error {
	_, err := task.ParseDue(s)
	return err
}

// fitsGlob notes a glob that cannot be compared with others.
func fitsGlob(n *strict.Notes, s string) {
	if why := glob.Malformed(s); why != "" {
		n.Note("%s %s", words.Quoted(s), why)
	}
}

// fitsKind notes a kind of evidence that is a command but not one line.
func fitsKind(n *strict.Notes, s string) {
	if why := task.BadCommand(s); why != "" {
		n.Note("%s", why)
	}
}

// fitsCriterion notes a criterion that is a command but not one line.
func fitsCriterion(n *strict.Notes, s string) {
	if why := task.BadCriterion(s); why != "" {
		n.Note("%s %s", words.Quoted(s), "is a command: "+why)
	}
}

// fits turns a check of the domain into a check of texts.
func fits(check func(string) error) func(*strict.Notes, string) {
	return func(n *strict.Notes, s string) {
		if err := check(s); err != nil {
			n.Note("%s", why(err))
		}
	}
}

// why returns the text of a fault that a check of the domain found.
func why(err error) string {
	e := fault.Of(err)
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + ": " + e.Hint
}
