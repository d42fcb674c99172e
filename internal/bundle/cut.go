package bundle

import (
	"cmp"
	"fmt"
	"slices"

	"tasker/internal/bundle/tokens"
	"tasker/internal/hint"
)

// Cut brings the bundle down to a budget of tokens and records what it cut. What a bundle takes is estimated, with a margin
// for the budget to be an upper bound. It cuts in the order of parts, unit by unit,
// and no further than it has to: a larger budget never leaves more out. The notes in keep are not cut. If the parts that
// are never cut exceed the budget on their own, a warning says so.
func (b *Bundle) Cut(limit int, keep ...int64) error {
	b.Budget.Limit = &limit
	c := &cutter{of: b, parts: b.parts(keep), counts: map[int]int{}}
	for _, p := range c.parts {
		c.units += p.units
	}
	n, used := c.least(limit)
	omitted := c.omitted(n)
	cut := *c.after(n)
	if used > limit {
		cut.Warnings = append(slices.Clone(cut.Warnings), fmt.Sprintf("the required parts of a bundle alone take %d tokens, more than the budget of %d", used, limit))
		used = c.size(cut.Text())
	}
	if c.err != nil {
		return c.err
	}
	cut.Budget = Budget{Limit: &limit, Used: &used, Omitted: joined(b.Budget.Omitted, omitted)}
	*b = cut
	return nil
}

// joined adds what a budget cut to what other limits left out, each part once. For the log, the command of the other
// limit stays, because it reads from further back; for anything else, the budget's command fetches more.
func joined(bounded, cut []Omitted) []Omitted {
	out := slices.Clone(bounded)
	for _, c := range cut {
		at := slices.IndexFunc(out, func(o Omitted) bool { return o.Part == c.Part })
		if at < 0 {
			out = append(out, c)
			continue
		}
		if had := out[at].Items; had != nil {
			sum := *had + *c.Items
			out[at].Items = &sum
		}
		out[at].Tokens = c.Tokens // of the items that were read
		if c.Command.Op != "events" {
			out[at].Command = c.Command
		}
	}
	return out
}

// cutter finds out how many units have to go.
type cutter struct {
	of     *Bundle
	parts  []part
	units  int
	counts map[int]int // tokens of the bundle after that many cuts
	err    error       // the first of writing; what was counted after it means nothing
}

// after returns the bundle after the first n cuts.
func (c *cutter) after(n int) *Bundle {
	out := *c.of
	for _, p := range c.parts {
		if k := min(n, p.units); k > 0 {
			p.cut(&out, k)
			n -= k
		}
	}
	return &out
}

// size returns how many tokens a text takes at most; failed is the error of writing it.
func (c *cutter) size(text string, failed error) int {
	c.err = cmp.Or(c.err, failed)
	return tokens.AtMost(text)
}

// count returns the number of tokens after n cuts. Each cut lowers it: a cut removes many tokens, and leaves a few
// punctuation marks at the seam.
func (c *cutter) count(n int) int {
	if _, known := c.counts[n]; !known {
		c.counts[n] = c.size(c.after(n).Text())
	}
	return c.counts[n]
}

// least returns the smallest number of cuts that brings the bundle within the limit, or all of them, and the tokens that
// it then takes. Counting is the expensive part, so it counts about as much as the limit lets through.
func (c *cutter) least(limit int) (n, used int) {
	text, err := c.of.Text()
	c.err = err
	if len(text) <= limit { // no token is shorter than a byte
		return 0, c.count(0)
	}
	if used = c.count(c.units); used >= limit {
		return c.units, used
	}

	// Go from the guess outward in doubling steps, then search between the two ends.
	lo, hi := -1, c.units // over the limit, and within it
	for at, step := c.guess(limit-used), 1; hi-lo > 1; step *= 2 {
		if c.count(at) <= limit {
			hi = at
		} else {
			lo = at
		}
		switch {
		case lo < 0:
			at = max(hi-step, 0)
		case hi == c.units:
			at = min(lo+step, hi-1)
		default:
			at = (lo + hi) / 2
		}
	}
	return hi, c.count(hi)
}

// guess estimates how many cuts leave units of room tokens: it adds units up, starting with the most needed.
func (c *cutter) guess(room int) int {
	n := c.units
	for _, p := range slices.Backward(c.parts) {
		for i := p.units - 1; i >= 0; i-- {
			size := c.takes(p, i, i+1)
			if size > room {
				return n
			}
			room -= size
			n--
		}
	}
	return n
}

// sample is how much of a long unit is counted to estimate its size: what is left out must not cost more than what is
// answered.
const sample = 16 << 10

// omitted returns what n cuts take out, part by part.
func (c *cutter) omitted(n int) []Omitted {
	var out []Omitted
	for _, p := range c.parts {
		k := min(n, p.units)
		if k == 0 {
			continue
		}
		n -= k
		size := c.takes(p, 0, k)
		out = append(out, Omitted{Part: p.name, Items: &k, Tokens: &size, Command: hint.Fetch(p.fetch(k))})
	}
	return out
}

// takes estimates what some units of a part take, as JSON. Of long units it counts a sample, and scales that up for the
// others.
func (c *cutter) takes(p part, from, to int) int {
	sum, bytes, counted := 0, 0, 0
	for i := from; i < to; i++ {
		text, err := encode(p.unit(i))
		bytes += len(text)
		text = text[:min(len(text), sample, 4*sample-counted)]
		c.err = cmp.Or(c.err, err)
		sum += tokens.Estimate(text)
		counted += len(text)
	}
	if counted == bytes {
		return sum
	}
	return int(int64(sum) * int64(bytes) / int64(counted))
}
