package task

import (
	"slices"
	"strconv"
	"strings"

	"tasker/internal/text/words"
)

type lack struct{ form, one, many string }

// lacks are the forms in which refusals of completions list what is missing, with the words that count them; an empty
// plural stands for something that there is only one of.
var lacks = []lack{
	{"criterion ", "criterion", "criteria"},
	{"gate ", "definition of a gate", ""},
	{"evidence ", "kind of evidence", "kinds of evidence"},
	{"approval by ", "approval", "approvals"},
	{"verification by ", "verification", "verifications"},
	{"note: ", "note", "notes"},
	{"question", "answer to a question", "answers to questions"},
	{"dependency", "open dependency", "open dependencies"},
	{"human_only", "a human to do it", ""},
	{"mayExecute: ", "a role or capability to do it", ""},
	{"in_review: ", "the one who moved it to review", ""},
	{"done: ", "the one who closed it", ""},
	{"cancelled: ", "a reopening", ""},
	{"part", "open part", "open parts"},
	{"supervised: ", "a human to close it", ""},
	{"returned: ", "an answer to its return", ""},
}

// CountMissing counts what the refusal of a completion lists, such as "1 criterion and 1 kind of evidence". It returns
// "" if a line has none of the forms of such a refusal.
func CountMissing(missing []string) string {
	counts := make([]int, len(lacks))
	for _, line := range missing {
		i := slices.IndexFunc(lacks, func(l lack) bool { return strings.HasPrefix(line, l.form) })
		if i < 0 {
			return ""
		}
		counts[i] += further(strings.TrimPrefix(line, lacks[i].form))
	}
	var parts []string
	for i, l := range lacks {
		switch n := counts[i]; {
		case n == 0:
		case l.many == "":
			parts = append(parts, l.one)
		default:
			parts = append(parts, words.Count(n, l.one, l.many))
		}
	}
	return words.And(parts)
}

// further returns how many a line stands for: `dependency: 3 open ones` is three, any other line one.
func further(rest string) int {
	if rest, ok := strings.CutPrefix(rest, ": "); ok {
		n, _, _ := strings.Cut(rest, " ")
		if n, err := strconv.Atoi(n); err == nil {
			return n
		}
	}
	return 1
}
