package task

import "tasker/internal/strict"

// The JSON form of the domain types whose Go kind does not determine it.

// Form is a moment in RFC 3339, or null.
func (Time) Form() strict.Form {
	return strict.Described(strict.Members{{Name: "type", Value: []any{"string", "null"}}, {Name: "format", Value: "date-time"}})
}

// Form is a text or null.
func (Opt) Form() strict.Form { return strict.FormOf(strict.Null(strict.Text[Opt]{})) }

// Form is a number or null.
func (Severity) Form() strict.Form {
	return strict.FormOf(strict.Null(strict.Whole[Severity]{Min: 1, Max: MaxSeverity}))
}

// Form is a number or null.
func (EvidenceID) Form() strict.Form {
	return strict.FormOf(strict.Null(strict.Whole[EvidenceID]{Min: 1, Max: 1 << 62}))
}

// Form is one of the statuses.
func (Status) Form() strict.Form { return oneOf(StatusNames()) }

// Form is one of the keys that tasks are selected by.
func (SelectKey) Form() strict.Form {
	names := make([]string, len(DefaultSelection))
	for i, k := range DefaultSelection {
		names[i] = string(k)
	}
	return oneOf(names)
}

func oneOf(words []string) strict.Form {
	return strict.Described(strict.Members{{Name: "type", Value: "string"}, {Name: "enum", Value: strict.Anys(words)}})
}

// StatusNames lists the statuses as texts.
func StatusNames() []string {
	out := make([]string, len(Statuses))
	for i, s := range Statuses {
		out[i] = string(s)
	}
	return out
}
