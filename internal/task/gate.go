package task

import "slices"

// MissingEvidence returns the kinds of evidence that the gate asks for and that are not in have, each once, in the
// gate's order. defined is false for a gate that no configuration defines.
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
