package store

import (
	"slices"

	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/text/words"
)

// namedProjects is how many projects a notice about changed rules names.
const namedProjects = 5

// notices say which rules for closings by agents are new, by the migration that came with them.
var notices = map[string]string{
	"closings": "An agent closes only what it could " +
		"claim, so open dependencies\nand questions count. Open parts, and a return from review that no tick or evidence has answered, are in the way. An agent takes\n" +
		"what is supervised to review, and a human closes it. An agent cancels nothing that has a gate or an open part. What the policy of\n" +
		"record asks for is asked of agents under every file. docs/concepts.md has these rules under People and agents.",
	"sent_back": "What was reopened asks an agent for\nnewer work, as what was returned from review does: evidence, a tick that rests on it, or something else that was seen. Approvals\n" +
		"from before a return no longer count. docs/concepts.md has these rules under People and agents.",
}

// noticeTo returns a notice if a project in the database declares a human: in its policy of record, in its db layer, or by a
// file that nobody has recorded: see SchemaFor.
func noticeTo(c db.Conn, declares func(slug string) bool, notice string) (string, error) {
	var slugs []string
	err := c.Query(`SELECT slug, policy, settings FROM project ORDER BY slug`, nil, db.Each3(func(slug, policy, settings string) {
		if declaresHuman(policy) || declaresHuman(settings) || declares != nil && declares(slug) {
			slugs = append(slugs, slug)
		}
	}))
	if err != nil || len(slugs) == 0 {
		return "", err
	}
	return "Rules have changed in " + words.Some(slugs[:min(len(slugs), namedProjects)], len(slugs)) + ", where humans are declared. " + notice, nil
}

// declaresHuman reports whether settings declare an actor that is a human.
func declaresHuman(settings string) bool {
	type actor struct {
		Kind string `json:"kind"`
	}
	var s struct {
		Actors []actor `json:"actors"`
	}
	if settings == "" || json.Unmarshal([]byte(settings), &s) != nil {
		return false // settings that cannot be read are reported where they are used
	}
	return slices.Contains(s.Actors, actor{Kind: "human"})
}
