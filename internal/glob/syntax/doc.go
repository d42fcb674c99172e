// Package syntax reads path globs as text: which alternatives one has with its braces written out, the segments of an
// alternative, and the directories that everything lies in which some globs match.
package syntax
