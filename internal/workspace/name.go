package workspace

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

const (
	maxBranch = 120 // bytes of a branch's name
	maxTitle  = 40  // bytes of a title in it
)

// Branch returns the branch of a task: prefix and template with {id} and {slug} filled in, written
// only in letters, digits, ".", "_", "-" and "/". Any other character, and whatever git or a shell
// would not read as a name, is left out or becomes "-".
func Branch(prefix, template string, id task.ID, title string) (string, error) {
	if !strings.Contains(template, "{id}") && !strings.Contains(template, "{slug}") {
		return "", fault.Bad("branch.template %q has neither {id} nor {slug} in it, so all tasks would share a branch", template).
			WithHint("write {id} into it")
	}
	name := Name(prefix + strings.NewReplacer("{id}", string(id), "{slug}", Slug(title)).Replace(template))
	if name == "" || name == Name(prefix) {
		return "", fault.Bad("branch.prefix %q and branch.template %q make no valid branch name for %s", prefix, template, id).
			WithHint("write {id} into branch.template")
	}
	return name, nil
}

// Dir returns the name of the directory of a task.
func Dir(id task.ID) string { return strings.ReplaceAll(Name(string(id)), "/", "-") }

// Name turns a text into the name of a branch.
func Name(text string) string {
	parts := slices.DeleteFunc(words.Each(strings.Split(text, "/"), component), func(part string) bool { return part == "" })
	name := strings.Join(parts, "/")
	for len(name) > maxBranch { // cutting it may leave an end that git does not allow
		name = strings.TrimRight(name[:maxBranch], "/")
		name = name[:len(name)-len(last(name))] + component(last(name))
		name = strings.TrimRight(name, "/")
	}
	return name
}

func last(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// component makes the part between two slashes valid for git: no dot or dash first, no dot last, no
// two dots in a row, no ".lock" at its end, and not HEAD.
func component(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r)) {
			return r
		}
		return '-'
	}, norm.NFKD.String(text))
	for strings.Contains(text, "..") {
		text = strings.ReplaceAll(text, "..", ".")
	}
	for {
		trimmed := strings.TrimRight(strings.TrimLeft(text, ".-"), ".-")
		if len(trimmed) >= 5 && strings.EqualFold(trimmed[len(trimmed)-5:], ".lock") {
			trimmed = trimmed[:len(trimmed)-5]
		}
		if trimmed == text {
			break
		}
		text = trimmed
	}
	if strings.EqualFold(text, "HEAD") {
		return "head-"
	}
	return text
}

// Slug returns a title in lower-case letters and digits, with dashes between words: as many words
// as fit.
func Slug(title string) string {
	slug := ""
	parts := strings.FieldsFunc(norm.NFKD.String(cases.Fold().String(title)), func(r rune) bool {
		return !unicode.Is(unicode.Mn, r) && (r >= 0x80 || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	})
	for _, w := range parts {
		w = strings.Map(func(r rune) rune {
			if r >= 0x80 {
				return -1
			}
			return r
		}, w)
		if slug != "" && len(slug)+1+len(w) > maxTitle {
			break
		}
		slug += words.When(slug != "", "-") + w[:min(len(w), maxTitle)]
	}
	return slug
}
