// Package merge is the domain of links to other systems: which system owns which field of a task,
// what both sides last agreed on, how to merge the changes of two sides, and what to do if they
// cannot be merged.
//
// Values of fields are compared as texts, with the empty text for no value, so that numbers, days
// and statuses are treated alike. What both sides agreed on is a pair, the value here and the value
// there; they differ if the other system cannot hold ours exactly. A side has changed when its
// value differs from that in the pair.
package merge
