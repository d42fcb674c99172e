package web

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tasker/internal/bundle"
	"tasker/internal/inbox"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
	"tasker/internal/text/words"
	"tasker/internal/views/picture/chart"
	"tasker/internal/views/reading"
)

// nowBanner heads a task's page: its state, what it waits for, and what this reader can do about it.
type nowBanner struct {
	State    string // of the task
	Tone     string // go: the reader can act; wait: somebody or something else has to; late; over
	Say      string
	Text     string // the question asked
	Question int64  // its number
	On       string // what a closed task rests on
	Commands []string
}

// command is a command to copy; Off says why it would be refused now.
type command struct{ Text, Off string }

// nowOf describes a task's state. It words the answer of explain and decides nothing. The commands are those of the
// reader's inbox, if the task waits there.
func nowOf(b *bundle.Bundle, e reading.ExplainOut, waits []inbox.Item, archived bool, now time.Time) nowBanner {
	t, id := b.Task, shellQuote(b.Task.ID)
	n := nowBanner{State: task.States[t.State()], Tone: "wait"}
	if t.Status.Closed() {
		n.Tone, n.Say, n.On = "over", ended(t), restsOn(b)
		if !archived {
			n.Commands = settles(waits)
		}
		return n
	}
	if archived { // the head of the page says how it is brought back
		n.Tone, n.Say = "over", "Nothing can be done with it while the project is archived."
		return n
	}
	reader := task.Actor{Name: baseName(e.Actor)}
	if q := openQuestion(b.Questions, reader); q != nil {
		n.Say, n.Text, n.Question = q.Actor+" asks", q.Text, q.ID
		if q.To != "" {
			n.Say += " " + string(q.To)
		}
		if !q.Blocking {
			n.Say += ", and goes on meanwhile."
		}
		switch asked := slices.IndexFunc(waits, func(it inbox.Item) bool { return it.Kind.Asks() && it.Question() == q.ID }); {
		case asked >= 0:
			n.Tone, n.Commands = "go", waits[asked].Settle
		case !q.Blocking: // no inbox has it: it is put to an agent
			n.Tone, n.Commands = "go", []string{"tasker answer " + strconv.FormatInt(q.ID, 10) + " 'TEXT'"}
		}
		return n
	}
	n.Commands = settles(waits)
	switch t.State() {
	case task.StateWaiting:
		n.Say = waitsFor(b, e, now) + disagreement(waits)
	case task.StateReady, task.StateUnheld:
		ready := t.State() == task.StateReady
		n.Say = words.Either(ready, "Ready", "In progress") + ", and nobody holds it."
		if e.Claimable.Yes {
			n.Tone, n.Commands = "go", append([]string{"tasker start " + id}, n.Commands...)
		} else if ready {
			n.Say = "Ready, but not for " + e.Actor + ": " + unmet(e.Claimable.Reasons)
		}
	case task.StateHeld:
		if !mine(t.Claim.Actor, e.Actor) {
			n.Say = t.Claim.Actor + " holds it" // the line below says since when
			if quiet := now.Sub(t.Claim.LastWrite().Go()); t.Claim.LastWrite() != 0 && quiet >= time.Minute {
				n.Say += ", quiet " + lasted(quiet)
			}
			n.Say += "."
			break
		}
		n.Tone = "go"
		n.Say, n.Commands = closing(t, "It is yours.", e)
	case task.StateInReview:
		say, next := closing(t, "In review.", e)
		if n.Say = say; !slices.ContainsFunc(waits, judges) { // it is settled for the reader, and still has to be closed
			n.Commands = joined(next, n.Commands...)
		}
		if len(n.Commands) > 0 || e.Kind == "human" {
			n.Tone = "go"
			n.Commands = joined(n.Commands, "tasker return "+id+" --because 'TEXT'")
		}
	case task.StateAsked, task.StateDone, task.StateCancelled: // handled above
	}
	return n
}

// settles returns the commands of the most urgent items.
func settles(waits []inbox.Item) (out []string) {
	first := len(sections)
	for _, it := range waits {
		first = min(first, sectionOf(it))
	}
	for _, it := range waits {
		if sectionOf(it) == first {
			out = joined(out, it.Settle...)
		}
	}
	return out
}

// disagreement says on which fields another system disagrees, if the commands of the banner are about that.
func disagreement(waits []inbox.Item) string {
	var fields []string
	for _, it := range waits {
		if it.Dispute == nil {
			return ""
		}
		fields = append(fields, it.Dispute.Field)
	}
	if len(fields) == 0 {
		return ""
	}
	return " Another system disagrees about its " + strings.Join(fields, " and its ") + "."
}

// judges reports whether an item asks the reader to judge its task.
func judges(it inbox.Item) bool {
	return it.Kind == waiting.ItemApproval || it.Kind == waiting.ItemVerification || it.Kind == waiting.ItemReview
}

// joined returns the list with the commands that it does not have yet.
func joined(list []string, commands ...string) []string {
	for _, c := range commands {
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

// closing returns what is missing before a task can be closed, and the command for the first thing that the reader can do.
func closing(t *task.Task, say string, e reading.ExplainOut) (string, []string) {
	id := shellQuote(t.ID)
	switch {
	case t.Parts > 0:
		return say + " " + openParts(t), nil
	case e.Closable.Yes:
		return say + " Nothing is missing.", []string{"tasker done " + id}
	}
	missing := unmet(e.Closable.Reasons)
	if len(e.Approvals) > 0 {
		r := e.Approvals[0]
		line := approving(id, r.Kind) + words.When(r.Role != "", " --role "+shellQuote(r.Role))
		if others := calls(e.Closable.Reasons); len(others) == 0 {
			return say + " It waits for you: " + missing, []string{line}
		}
	}
	return say + " Before it can close: " + missing, calls(e.Closable.Reasons)
}

// openParts says how many parts of a task are open. A person may close it all the same, and no page suggests that.
func openParts(t *task.Task) string {
	return words.Count(t.Parts, "of its parts is", "of its parts are") + " open."
}

// waitsFor says what a waiting task waits for in the end, and who has that.
func waitsFor(b *bundle.Bundle, e reading.ExplainOut, now time.Time) string {
	t, cause := b.Task, e.ActOn
	if cause == nil { // no chain leads to a task that somebody can act on
		return strings.Replace(unmet(e.Ready.Reasons, "dependencies", "parts"), "it waits", "It waits", 1) + "."
	}
	say := "Waits for " + cause.Words(task.TimeOf(now), lasted)
	direct := slices.DeleteFunc(slices.Clone(b.Deps), func(d bundle.Dep) bool { return d.Status.Closed() })
	if t.OpenDeps == 1 && t.Parts == 0 && len(direct) == 1 && direct[0].ID != cause.Task {
		say += ", through " + string(direct[0].ID)
	}
	if t.Parts > 1 {
		say += ". " + words.Count(t.Parts, "part of it is", "parts of it are") + " open"
	}
	return say + "."
}

// lasted says how long something took, as pages say it.
func lasted(d time.Duration) string { return chart.Lasted(d.Milliseconds()) }

// ended says how a task was closed, by whom and when.
func ended(t *task.Task) string {
	say := words.Either(t.Status == task.Cancelled, "Cancelled ", "Done ") + t.ClosedAt.String()
	switch {
	case t.Recorded:
		say += ", recorded as it is and not checked"
	case t.ClosedBy != "":
		say += ", by " + t.ClosedBy
	}
	return say + "."
}

// restsOn says what the closing of a task rests on: its ticks, its runs, and what was passed over.
func restsOn(b *bundle.Bundle) string {
	if b.Task.Status != task.Done {
		return ""
	}
	var out []string
	if n := len(b.Criteria); n > 0 {
		checked, on := task.ProgressOf(b.Criteria).Checked, task.Resting(b.Criteria)
		out = append(out, fmt.Sprintf("%d of %s ticked", checked, words.Count(n, "criterion", "criteria"))+words.When(on != "", " ("+on+")"))
	}
	runs, last := 0, ""
	for _, p := range proofs(b.Evidence) {
		if p.Run != nil {
			runs, last = runs+1, "ran "+p.Run.Words()
		}
	}
	switch {
	case runs > 1:
		out = append(out, words.Count(runs, "run", "runs")+", the last: "+strings.TrimPrefix(last, "ran "))
	case runs == 1:
		out = append(out, last)
	case len(b.Evidence) > 0:
		out = append(out, words.Count(len(b.Evidence), "item", "items")+" of evidence, nothing run")
	default:
		out = append(out, "no evidence linked")
	}
	if slices.ContainsFunc(b.RecentEvents, func(e task.Event) bool { return e.Kind == task.OverrideForced }) {
		out = append(out, "closed by force")
	}
	return strings.Join(out, "; ")
}

// approving returns the command that gives an approval of a kind.
func approving(id, kind string) string {
	return "tasker approve " + id + words.When(kind == task.KindVerification, " --kind verification")
}

// openQuestion returns the first blocking question that is not answered, or else the first question to the reader.
func openQuestion(all []task.Question, reader task.Actor) *task.Question {
	var asked *task.Question
	for i := range all {
		switch q := &all[i]; {
		case q.AnsweredAt != 0 || q.Withdrawn:
		case q.Blocking:
			return q
		case asked == nil && q.For(reader) && baseName(q.Actor) != reader.Name:
			asked = q
		}
	}
	return asked
}

// unmet returns why rules are not met: the named rules, or all.
func unmet(reasons []reading.Reason, rules ...string) string {
	var out []string
	for _, r := range reasons {
		if !r.OK && (len(rules) == 0 || slices.Contains(rules, r.Rule)) {
			out = append(out, strings.TrimPrefix(brief(r), "missing: "))
		}
	}
	return strings.Join(out, "; ")
}

// brief returns why a rule is met or not. Open questions are asked once, at the top of the page.
func brief(r reading.Reason) string {
	if r.Rule == "questions" && !r.OK {
		return "a blocking question is open"
	}
	return r.Why
}

// refused is unmet for a command: what the task waits for stands at the top of the page.
func refused(reasons []reading.Reason) string {
	out := slices.Clone(reasons)
	for i, r := range out {
		if r.Rule == "dependencies" && !r.OK {
			out[i].Why = "it waits"
		}
	}
	return unmet(out)
}

// calls returns the first command of the first unmet rule that the reader can do something about. It skips approvals:
// nobody is asked for one while anything else is missing.
func calls(reasons []reading.Reason) []string {
	for _, r := range reasons {
		if r.OK || r.Rule == "approval" {
			continue
		}
		for _, part := range r.Change {
			if part.Call != nil && !part.Call.ByOther && part.Call.Field == "" {
				return []string{part.Call.String()}
			}
		}
	}
	return nil
}

// mine reports whether a claim is the reader's own, or one that the reader may act for.
func mine(holder, reader string) bool { return holder == reader || baseName(holder) == reader }

// baseName returns an actor without its instance.
func baseName(actor string) string {
	name, _, _ := strings.Cut(actor, "/")
	return name
}

// commands returns what can be done with a task, each with the reason if it would be refused now. What the banner offers
// is not offered again in another form.
func commands(b *bundle.Bundle, e reading.ExplainOut, offered []string, archived bool) []command {
	t, id := b.Task, shellQuote(b.Task.ID)
	var out []command
	add := func(text string, ok bool, why string) {
		verb := text + " "
		if at := strings.Index(verb, id); at > 0 {
			verb = verb[:at+len(id)]
		}
		if slices.ContainsFunc(offered, func(o string) bool { return strings.HasPrefix(o+" ", verb) }) {
			return
		}
		switch {
		case archived:
			why = "the project is archived"
		case ok:
			why = ""
		}
		out = append(out, command{text, why})
	}
	if t.Status.Closed() {
		add("tasker reopen "+id, true, "")
	} else {
		add("tasker claim "+id, e.Claimable.Yes, refused(e.Claimable.Reasons))
		if t.Claim != nil {
			add("tasker release "+id, mine(t.Claim.Actor, e.Actor) || e.Kind == "human", t.Claim.Actor+" holds it")
		}
		for _, c := range b.Criteria {
			if !c.Checked {
				add("tasker check "+id+" "+strconv.Itoa(c.Index), mayWrite(t, e), holds(t))
			}
		}
		if b.Gate != nil {
			for _, kind := range b.Gate.Missing {
				add("tasker evidence "+id+" --kind "+shellQuote(kind)+" --value 'TEXT'", true, "")
			}
		}
		for _, kind := range []string{task.KindApproval, task.KindVerification} {
			if slices.ContainsFunc(b.Approvals.Missing, func(r bundle.Need) bool { return r.Kind == kind }) {
				own := slices.ContainsFunc(e.Approvals, func(r task.Requirement) bool { return cmp.Or(r.Kind, task.KindApproval) == kind })
				add(approving(id, kind), own, e.Actor+" may not give what is missing")
			}
		}
		if t.Status == task.InReview {
			add("tasker return "+id+" --because 'TEXT'", true, "")
		} else {
			add("tasker review "+id, mayWrite(t, e), holds(t))
		}
		if t.Parts > 0 {
			add("tasker done "+id, false, strings.TrimSuffix(openParts(t), "."))
		} else {
			add("tasker done "+id, e.Closable.Yes, unmet(e.Closable.Reasons))
		}
	}
	add("tasker note "+id+" 'TEXT'", true, "")
	out = append(out, command{Text: "tasker show " + id}, command{Text: "tasker explain " + id})
	return out
}

// mayWrite reports whether the reader may write to a task despite its claim; a human may.
func mayWrite(t *task.Task, e reading.ExplainOut) bool {
	return e.Kind == "human" || t.Claim == nil || mine(t.Claim.Actor, e.Actor)
}

func holds(t *task.Task) string {
	if t.Claim == nil {
		return ""
	}
	return t.Claim.Actor + " holds it"
}
