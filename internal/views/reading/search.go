package reading

import (
	"context"
	"slices"
	"strings"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/search"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// SearchIn searches for text.
type SearchIn struct {
	Q       string `query:"q" required:"true" about:"words to find; quotes keep words together, and the last word finds longer ones too"`
	Project string `query:"project"`
	Kind    string `query:"kind" about:"only hits of this kind; the counts are of every kind"`
	Limit   *int   `query:"limit" about:"how many hits of each kind at most; 50 unless given, cut at 1000"`
}

// Choices lists the values of fields that accept only a few.
func (SearchIn) Choices() map[string][]string {
	return map[string][]string{"kind": words.Each(search.Kinds, func(k search.Kind) string { return string(k) })}
}

// SearchOut lists where a query was found. Counts and total cover every kind, even if hits of only one kind were
// requested; the limit applies to each kind.
type SearchOut struct {
	Query     string            `json:"query"`
	Project   task.Opt          `json:"project"` // null: every project
	Counts    search.KindCounts `json:"counts"`
	Total     int               `json:"total"`
	TotalMore bool              `json:"totalMore"` // there are more log entries than were counted
	Hits      []search.Hit      `json:"hits"`
}

// SearchKinds returns the kinds of records that are searched.
func SearchKinds() []search.Kind { return search.Kinds }

// Search finds a query's words in titles, bodies, notes, decisions, evidence, bindings, actors and the log, best hits
// first. Any text is a query; an empty one counts as missing.
func (s *Service) Search(ctx context.Context, in SearchIn) (SearchOut, error) {
	limit, err := core.Limit(in.Limit)
	if err != nil {
		return SearchOut{}, err
	}
	if strings.TrimSpace(in.Q) == "" {
		return SearchOut{}, fault.Bad("there is nothing to search for").WithMissing(fault.Parameter("q")).WithHint("give at least one word")
	}
	if err := task.CheckOptional("the query", in.Q, task.MaxText); err != nil {
		return SearchOut{}, err
	}
	if kinds := in.Choices()["kind"]; in.Kind != "" && !slices.Contains(kinds, in.Kind) {
		return SearchOut{}, fault.Bad("kind %q is not searched", in.Kind).WithMissing(fault.Parameter("kind")).
			WithHint("one of %s", strings.Join(kinds, ", "))
	}
	ask := search.Ask{Query: search.Parse(in.Q), Text: strings.TrimSpace(in.Q), Project: in.Project, Kind: search.Kind(in.Kind), Limit: limit}
	return core.Read(ctx, s.Env, func(tx *store.Tx) (SearchOut, error) {
		found, err := tx.Search(ask)
		return SearchOut{
			Query: in.Q, Project: task.Opt(in.Project), Counts: found.Counts, Total: found.Counts.Total(), TotalMore: found.More,
			Hits: search.Rank(found.Found, limit),
		}, err
	})
}
