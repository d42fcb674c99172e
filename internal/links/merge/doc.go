// Package merge is the domain of links to other systems: which system owns which field of a task, what both sides last
// agreed on, how the changes of two sides become one, and what is to be done where they cannot.
//
// The values of fields are compared as texts, the empty text for no value, so that a number, a day and a status are
// treated alike. What both sides agreed on is a pair: the value here and the value there, which differ where the other
// system cannot hold ours exactly. A side has changed when its value is no longer that of the pair.
package merge
