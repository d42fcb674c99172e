package settings

// toFile is a channel that writes what it gets.
const toFile = `"type": "exec", "target": "cat >> told; echo >> told"`

const askedAndClosed = `{"project": "demo", "tasks": [{"key": "a", "title": "A"}, {"key": "b", "title": "B", "gate": "ship"}]}`

func notifying(more string) string {
	return `"notifications": {` + more + `"channels": [{` + toFile + `}]}, "gates": {"ship": []}, "execution": {"reviewPolicy": {"ship": [{}]}}`
}

// channelEffects has the rows of the keys of notifications.
var channelEffects = []effect{
	{
		key:     "notifications.onApprovalRequested",
		without: notifying(``),
		with:    notifying(`"onApprovalRequested": false, `),
		plan:    askedAndClosed,
		do:      []string{"claude done demo-2", "ann notify log --json"},
		before:  `"kind":"approval_requested"`,
		after:   `^0 \[\]`,
	},
	{
		key:     "notifications.onBlockingQuestion",
		without: notifying(``),
		with:    notifying(`"onBlockingQuestion": false, `),
		plan:    askedAndClosed,
		do:      []string{"claude ask demo-1 which? --blocking", "ann notify log --json"},
		before:  `"kind":"blocking_question"`,
		after:   `^0 \[\]`,
	},
	{
		key:     "notifications.onDivergence",
		without: notifying(``),
		with:    notifying(`"onDivergence": false, `),
		plan:    askedAndClosed,
		do: []string{
			"tracker", "claude bind demo-1 DEMO-1", "claude ownership set local", "claude sync pull", "theirs Other", "claude sync pull", "ann notify log --json",
		},
		before: `"kind":"divergence"`,
		after:  `^0 \[\]`,
	},
	{
		key:     "notifications.channels[].type",
		without: `"notifications": {"channels": [{"type": "exec", "target": "http://127.0.0.1:1/x"}]}`,
		with:    `"notifications": {"channels": [{"type": "webhook", "target": "http://127.0.0.1:1/x"}]}`,
		do:      []string{"claude ask demo-1 which? --blocking", "ann notify log --json"},
		before:  `exit code 127`,
		after:   `127.0.0.1:1 cannot be reached`,
	},
	{
		key:     "notifications.channels[].target",
		without: `"notifications": {"channels": [{"type": "exec", "target": "exit 3"}]}`,
		with:    `"notifications": {"channels": [{"type": "exec", "target": "exit 4"}]}`,
		do:      []string{"claude ask demo-1 which? --blocking", "ann notify log --json"},
		before:  `exit code 3`,
		after:   `exit code 4`,
	},
	{
		key:     "notifications.channels[].events",
		without: `"notifications": {"channels": [{` + toFile + `}]}`,
		with:    `"notifications": {"channels": [{` + toFile + `, "events": ["review"]}]}`,
		do:      []string{"claude ask demo-1 which? --blocking", "ann review demo-2", "ann notify log --json"},
		before:  `"kind":"blocking_question"`,
		after:   `"kind":"review"`,
	},
}
