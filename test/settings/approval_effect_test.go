package settings

// people are two humans, one of them with a role.
const people = `"actors": [{"name": "ann", "kind": "human"}, {"name": "lea", "kind": "human", "roles": ["lead"]}], `

// required requires an approval for every task.
func required(requirement string) string {
	return people + `"execution": {"requireApproval": [` + requirement + `]}`
}

// review requires an approval for the tasks of a gate.
func review(requirement string) string {
	return people + `"gates": {"ship": []}, "execution": {"reviewPolicy": {"ship": [` + requirement + `]}}`
}

var (
	byAnn = []string{"ann approve demo-1", "claude done demo-1"}
	byLea = []string{"lea approve demo-1", "claude done demo-1"}
)

// approvalEffects has the rows for approvals: an approval that meets a requirement closes the task, and no other does.
var approvalEffects = []effect{
	{key: "execution.requireApproval", without: required(``), with: required(`{}`), do: []string{"claude done demo-1"}, before: `^0 `, after: `^3 (?s:.)*approval by any human`},
	{
		key: "execution.requireApproval", also: "adds",
		without: required(`{"actor": "ann"}`) + `, "gates": {"ship": []}`,
		with:    people + `"gates": {"ship": []}, "execution": {"requireApproval": [{"actor": "ann"}], "reviewPolicy": {"ship": [{"actor": "lea"}]}}`,
		plan:    inGate,
		do:      byAnn,
		before:  `^0 `,
		after:   `^3 (?s:.)*approval by lea`,
	},
	{key: "execution.requireApproval[].role", without: required(`{}`), with: required(`{"role": "lead"}`), do: byAnn, before: `^0 `, after: `^3 (?s:.)*approval by lead`},
	{
		key: "execution.requireApproval[].role", also: "satisfied",
		without: required(`{"role": "chief"}`), with: required(`{"role": "lead"}`), do: byLea, before: `^3 (?s:.)*approval by chief`, after: `^0 `,
	},
	{key: "execution.requireApproval[].actor", without: required(`{}`), with: required(`{"actor": "lea"}`), do: byAnn, before: `^0 `, after: `^3 (?s:.)*approval by lea`},
	{
		key: "execution.requireApproval[].actor", also: "satisfied",
		without: required(`{"actor": "ann"}`), with: required(`{"actor": "lea"}`), do: byLea, before: `^3 (?s:.)*approval by ann`, after: `^0 `,
	},
	{
		key: "execution.requireApproval[].kind", without: required(`{}`), with: required(`{"kind": "verification"}`), do: byAnn,
		before: `^0 `, after: `^3 (?s:.)*verification by any human`,
	},
	{
		key: "execution.requireApproval[].reason", without: required(`{}`), with: required(`{"reason": "two pairs of eyes"}`),
		do: []string{"claude done demo-1"}, before: `human\n`, after: `two pairs of eyes`,
	},

	{
		key:     "execution.reviewPolicy",
		without: people + `"gates": {"ship": [], "other": []}, "execution": {"reviewPolicy": {"other": [{}]}}`,
		with:    review(`{}`),
		plan:    inGate,
		do:      []string{"claude done demo-1"},
		before:  `^0 `,
		after:   `^3 (?s:.)*approval by any human`,
	},
	{key: "execution.reviewPolicy.<name>[].role", without: review(`{}`), with: review(`{"role": "lead"}`), plan: inGate, do: byAnn, before: `^0 `, after: `^3 (?s:.)*approval by lead`},
	{key: "execution.reviewPolicy.<name>[].actor", without: review(`{}`), with: review(`{"actor": "lea"}`), plan: inGate, do: byAnn, before: `^0 `, after: `^3 (?s:.)*approval by lea`},
	{
		key: "execution.reviewPolicy.<name>[].kind", without: review(`{}`), with: review(`{"kind": "verification"}`), plan: inGate, do: byAnn,
		before: `^0 `, after: `^3 (?s:.)*verification by any human`,
	},
	{
		key: "execution.reviewPolicy.<name>[].reason", without: review(`{}`), with: review(`{"reason": "it ships"}`), plan: inGate,
		do: []string{"claude done demo-1"}, before: `human\n`, after: `it ships`,
	},
}
