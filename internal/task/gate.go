package task

import "slices"

// MissingEvidence lists the kinds of evidence that a gate asks for and that are not among those there are, each
// once, in the gate's order. defined is false for a gate that is named but defined nowhere.
func (p Policy) MissingEvidence(gate Opt, have []string) (missing []string, defined bool) {
	if gate == "" {
		return nil, true
	}
	kinds, defined := p.Gates[string(gate)]
	for _, k := range kinds {
		if !slices.Contains(have, k) && !slices.Contains(missing, k) {
			missing = append(missing, k)
		}
	}
	return missing, defined
}
