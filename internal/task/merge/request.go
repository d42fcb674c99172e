package merge

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

// The states of a binding to a code host.
const (
	RequestOpen   = "open"
	RequestMerged = "merged"
	RequestClosed = "closed"
)

// Checks holds the results of the checks of a commit. Unfinished ones count as not passed.
type Checks struct {
	Passed int `json:"passed,omitzero"`
	Total  int `json:"total,omitzero"`
}

// Request is a pull request as its code host describes it. All of its texts were written by others.
type Request struct {
	Repo     string   `json:"repo"` // owner/name of the repository to merge into
	Number   int64    `json:"number"`
	Title    string   `json:"title"`
	Text     string   `json:"text,omitzero"`
	URL      string   `json:"url,omitzero"`
	Branch   string   `json:"branch"`         // the branch to merge
	Fork     bool     `json:"fork,omitzero"`  // the branch is in another repository
	State    string   `json:"state"`          // of a binding to it
	Merge    string   `json:"merge,omitzero"` // the commit that it became on its base
	Head     string   `json:"head,omitzero"`  // the last commit of its branch
	Updated  string   `json:"updated"`        // by the code host's clock, in a form that sorts
	Messages []string `json:"messages,omitzero"`
	Checks   Checks   `json:"checks,omitzero"` // of Head
}

// Ref returns its name: owner/name#12.
func (r *Request) Ref() string { return r.Repo + "#" + strconv.FormatInt(r.Number, 10) }

// BranchRef returns the name of its branch, or "" if that is in a fork.
func (r *Request) BranchRef() string {
	return words.When(!r.Fork, r.Repo+"@"+r.Branch)
}

// The ids of tasks in texts: as a whole word, in a trailer, and anywhere.
var (
	trailer = words.Pattern(`(?mi)^Task:[ \t]*(\S.*)$`)
	idWord  = words.Pattern(`[A-Za-z0-9][A-Za-z0-9_-]*-[1-9][0-9]*`)
)

// maxNamed is how many tasks one request can name.
const maxNamed = 20

// Named returns the tasks of a project that a request is for: the tasks in its trailers, and the
// one that its branch is named after. It ignores the branch of a fork, because anybody can name
// that.
func (r *Request) Named(slug, prefix string) []task.ID {
	var out []task.ID
	for _, text := range append([]string{r.Text}, r.Messages...) {
		for _, m := range trailer().FindAllStringSubmatch(text, maxNamed) {
			for _, word := range strings.FieldsFunc(m[1], func(c rune) bool { return c == ',' || c == ' ' || c == '\t' || c == '\r' }) {
				out = addID(out, slug, strings.TrimPrefix(word, "#"))
			}
		}
	}
	if rest, ours := strings.CutPrefix(r.Branch, prefix); ours && !r.Fork {
		// Matches demo-4 and demo-4-fix-it, but not demo-x-4 or a task of the project x-demo.
		if after, ok := strings.CutPrefix(rest, slug+"-"); ok {
			number, _, _ := strings.Cut(after, "-")
			out = addID(out, slug, slug+"-"+number)
		}
	}
	return out
}

// Mentioned returns the tasks of a project whose ids are in the title. The request may be for them,
// or only mention them.
func (r *Request) Mentioned(slug string) []task.ID {
	var out []task.ID
	for _, word := range idWord().FindAllString(r.Title, maxNamed) {
		out = addID(out, slug, word)
	}
	return out
}

func addID(list []task.ID, slug, word string) []task.ID {
	of, _, ok := task.ParseID(word)
	if !ok || of != slug || slices.Contains(list, task.ID(word)) || len(list) == maxNamed {
		return list
	}
	return append(list, task.ID(word))
}

// Evidence returns what a merged request proves about a task: that it was merged, as which commit,
// and that its checks passed. It leaves out the checks of a fork, because anybody can give a fork's
// branch any checks.
func (r *Request) Evidence() []task.EvidenceItem {
	if r.State != RequestMerged {
		return nil
	}
	out := []task.EvidenceItem{{Kind: "pull_request", Value: cmp.Or(r.URL, r.Ref()), Note: task.Opt(r.Ref() + " is merged")}}
	if r.Merge != "" {
		out = append(out, task.EvidenceItem{Kind: "commit", Value: r.Merge, Note: task.Opt("the merge of " + r.Ref())})
	}
	if !r.Fork && r.Checks.Total > 0 && r.Checks.Passed == r.Checks.Total {
		out = append(out, task.EvidenceItem{
			Kind: "checks", Value: fmt.Sprintf("%d of %d passed on %s", r.Checks.Passed, r.Checks.Total, r.Head), Note: task.Opt("of " + r.Ref()),
		})
	}
	return out
}

// The names of notices: what another system caused about a task and a person should look at.
const (
	NoticeMerged   = "merged"
	NoticeProposed = "proposed"
	NoticeLanding  = "landing" // its work did not land on the base
	NoticePull     = "pull"    // a system cannot be pulled; its name follows
)

// ProposedName returns the name of the notice that a request has a task in its title.
func ProposedName(ref string) string { return NoticeProposed + ":" + ref }

// PullName returns the name of the notice that a system cannot be pulled.
func PullName(system string) string { return NoticePull + ":" + system }

// LoopName returns the name of the notice that background pulls of a project have stopped. Each
// stop has its own name.
func LoopName(l *Loop) string { return NoticePull + ":loop:" + l.LastRun.String() }

// LoopWhy returns the text of that notice.
func LoopWhy(l *Loop) string {
	return fmt.Sprintf("other systems are pulled every %s in the background, and the last pull was at %s: check that the server is running and syncing",
		words.Span(time.Duration(l.EveryMs)*time.Millisecond), l.LastRun)
}

// PullWhy returns the text of the notice that a system cannot be pulled.
func PullWhy(system, problem string) string {
	return fmt.Sprintf("what has changed at the %s cannot be read: %s", strings.ReplaceAll(system, "_", " "), words.Cut(problem, 300))
}

// ProposedWhy returns the text of the notice that a request has a task in its title.
func (r *Request) ProposedWhy(id task.ID) string {
	return fmt.Sprintf("%s names it in its title (%s): bind %s to it if it does this work, otherwise dismiss this notice",
		r.Ref(), words.Quoted(words.Cut(r.Title, 200)), id)
}

// MergedWhy returns the text of the notice that a task stays open although requests for it are
// merged.
func MergedWhy(refs, missing []string) string {
	are := words.List(refs) + words.Either(len(refs) > 1, " are merged", " is merged")
	if len(missing) == 0 {
		return are + ", and nothing is missing: it can be closed"
	}
	return are + ", and it stays open: " + strings.Join(missing, "; ")
}
