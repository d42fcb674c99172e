// Package syntax reads path globs as text: the alternatives of a glob with its braces expanded, the segments of an
// alternative, and the directories that contain everything that some globs match.
package syntax
