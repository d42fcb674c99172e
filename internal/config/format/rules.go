package format

import (
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"tasker/internal/glob"
	"tasker/internal/strict"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Constraints that a type and its bounds cannot express. Each has its wording in refusals and, if there is one, the
// pattern for the schema.
var (
	versionRule = Rule{expects: "the number 1"}
	SlugRule    = Rule{
		expects: "a slug (letters, digits, dots, underscores and hyphens, 63 at most; a letter or a digit first, no dot or hyphen last, no two dots in a row)",
		pattern: task.SlugPattern,
		text:    checkSlug,
	}
	LeaseRule = Rule{
		expects: `a duration from 0 to 366 days (a whole number with ms, s, m, h or d, such as "30m", or "0")`,
		pattern: `0|(0|[1-9][0-9]*)(ms|s|m|h|d)`,
		text:    checkLease,
	}
	TemplateRule = Rule{
		expects: "a template with the placeholders {id} and {slug}",
		pattern: `([^{}]|\{id\}|\{slug\})+`,
		check:   checkTemplate,
	}
	relativeRule  = Rule{expects: "a path relative to the repository root", pattern: `[^/][\s\S]*`, text: checkRelative}
	RepoRule      = Rule{expects: "a repository as owner/name", pattern: `[^/\s]+/[^/\s]+`, text: checkRepo}
	actorNameRule = Rule{
		expects: "a name without a slash in it or spaces around it",
		pattern: `[^/\s]([^/]*[^/\s])?`,
		text:    checkActorName,
	}
	globRule = Rule{expects: "a glob of files below the repository root", text: checkGlob, form: true}
	BaseRule = Rule{
		expects: "a branch, a tag or a commit, such as main or origin/main",
		pattern: `[^-\s:?*\[\\][^\s:?*\[\\]*`,
		text:    checkBase, blank: true, form: true,
	}
	SiteRule = Rule{
		expects: "the address of a site, such as https://example.atlassian.net",
		pattern: `[hH][tT][tT][pP][sS]?://[^\s/?#@]+(/[^\s?#]*)?`,
		text:    checkSite, blank: true, form: true,
	}
	kindRule      = Rule{expects: "a kind of evidence, or `$ ` and one line that is a command", text: checkKind, form: true}
	portRangeRule = Rule{expects: "an array of two ports, start and end", check: checkPortRange}
	actorsRule    = Rule{check: checkActors}
)

func checkSlug(s string) (ok bool, why, suggest string) {
	return task.ValidSlug(s), "", task.SuggestSlug(s)
}

func checkKind(s string) (ok bool, why, suggest string) {
	why = task.BadCommand(s)
	return s != "" && why == "", why, ""
}

func checkLease(s string) (ok bool, why, suggest string) {
	d, why, suggest := ReadDuration(s)
	if why == "" && d > MaxLease {
		why = words.Quoted(s) + " is longer than 366 days"
	}
	return why == "", why, suggest
}

func checkRelative(s string) (ok bool, why, suggest string) {
	return s != "" && !path.IsAbs(s) && !filepath.IsAbs(s), "", ""
}

func checkRepo(s string) (ok bool, why, suggest string) {
	owner, name, ok := strings.Cut(s, "/")
	return ok && owner != "" && name != "" && !strings.Contains(name, "/") && !strings.ContainsFunc(s, unicode.IsSpace), "", ""
}

func checkGlob(s string) (ok bool, why, suggest string) {
	why = glob.Unusable(s)
	return why == "", words.When(why != "", words.Quoted(s)+" "+why), ""
}

// checkBase refuses what git would interpret as a flag, a path or a pattern.
func checkBase(s string) (ok bool, why, suggest string) {
	odd := func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(`:?*[\`, r)
	}
	return !strings.HasPrefix(s, "-") && !strings.Contains(s, "..") && !strings.ContainsFunc(s, odd), "", ""
}

// checkSite refuses a text that is not an address, and an address with a user name and password: credentials come only
// from the environment.
func checkSite(s string) (ok bool, why, suggest string) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		if host, _, _ := strings.Cut(s, "/"); !strings.Contains(s, ":") && strings.Contains(host, ".") && !strings.ContainsFunc(s, unicode.IsSpace) {
			suggest = "https://" + s
		}
		if err == nil && u.User != nil {
			return false, "an address with credentials in it would be kept with the repository", ""
		}
		return false, "", suggest
	}
	return true, "", ""
}

func checkActorName(s string) (ok bool, why, suggest string) {
	if before, _, slash := strings.Cut(s, "/"); slash {
		return false, "what stands after a slash is an instance, not part of the actor's name", strings.TrimSpace(before)
	}
	return s != "" && strings.TrimSpace(s) == s, "", strings.TrimSpace(s)
}

// fits notes why a text does not fit, and what was meant.
func (x *Rule) fits(n *strict.Notes, s string) {
	ok, why, suggest := x.text(s)
	switch {
	case ok:
	case why == "":
		n.Add(strict.Fault{Message: "must be " + x.expects + ", not the string " + words.Quoted(s), Meant: suggest})
	default:
		n.Add(strict.Fault{Message: why + "; it must be " + x.expects, Meant: suggest})
	}
}

// checkTemplate finds every unknown placeholder, and unbalanced braces.
func checkTemplate(r *strict.Reader, n *strict.Node) {
	known := []string{"{id}", "{slug}"}
	for rest := n.Text; ; {
		open := strings.IndexAny(rest, "{}")
		if open < 0 {
			return
		}
		end := strings.IndexAny(rest[open+1:], "{}")
		if rest[open] == '}' || end < 0 || rest[open+1+end] != '}' {
			r.Add(strict.Fault{Message: fmt.Sprintf("a brace in %s has no partner", words.Quoted(n.Text)), Allowed: known})
			return
		}
		name := rest[open : open+end+2]
		if name != "{id}" && name != "{slug}" {
			r.Add(strict.Fault{Message: "unknown placeholder " + name, Allowed: known, Meant: words.Closest(name, known)})
		}
		rest = rest[open+end+2:]
	}
}

func checkPortRange(r *strict.Reader, n *strict.Node) {
	if len(n.Items) != 2 {
		return // already reported
	}
	start, ok1 := strict.WholeNumber([]byte(n.Items[0].Text))
	end, ok2 := strict.WholeNumber([]byte(n.Items[1].Text))
	if ok1 && ok2 && start > end {
		r.Add(strict.Fault{
			Message: fmt.Sprintf("the range runs backwards, from %d to %d; the start comes first", start, end),
			Meant:   fmt.Sprintf("[%d, %d]", end, start),
		})
	}
}

// checkActors finds names that are declared twice and a second default.
func checkActors(r *strict.Reader, n *strict.Node) {
	names := map[string]int{}
	first := -1
	for i, item := range n.Items {
		if name := item.Get("name"); name != nil && name.Kind == '"' {
			if j, twice := names[name.Text]; twice {
				noteAt(r, i, "name", name, fmt.Sprintf("the name %s is declared twice, first as actors[%d]", words.Quoted(name.Text), j))
			} else {
				names[name.Text] = i
			}
		}
		if d := item.Get("default"); d != nil && d.Kind == 't' {
			if first >= 0 {
				noteAt(r, i, "default", d, fmt.Sprintf("only one actor may be the default, and actors[%d] is already", first))
			} else {
				first = i
			}
		}
	}
}

// noteAt notes a fault of a member of an item.
func noteAt(r *strict.Reader, item int, name string, n *strict.Node, message string) {
	r.EnterAt(item)
	r.Enter(name)
	r.Stand(n.At)
	r.Note("%s", message)
	r.Leave()
	r.Leave()
}
