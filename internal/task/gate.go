package task

import "slices"

// MissingEvidence returns the kinds of evidence that the gate asks for and have lacks, each once, in the gate's order.
// defined is false for a gate that no configuration defines.
func (p Policy) MissingEvidence(gate Opt, have []string) (missing []string, defined bool) {
	if gate == "" {
		return nil, true
	}
	for _, k := range p.Gates[string(gate)] {
		if !slices.Contains(have, k) && !slices.Contains(missing, k) {
			missing = append(missing, k)
		}
	}
	return missing, p.DefinesGate(string(gate))
}

// DirOf returns the directory that the commands of a gate run in, from the root of the repository, or "" if it is unknown.
func (p Policy) DirOf(gate Opt) string { return p.GateDirs[string(gate)] }

// DefinesGate reports whether a gate is defined: it asks for evidence, or the review policy names it. A gate that only
// the review policy names asks for approvals and for no evidence.
func (p Policy) DefinesGate(gate string) bool {
	_, evidence := p.Gates[gate]
	_, review := p.ReviewPolicy[gate]
	return evidence || review
}
