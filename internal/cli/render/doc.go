// Package render defines how records look in a terminal: tasks, bundles, claims, moves, what comes next, times and
// statuses. Its functions print through the factory's terminal, which makes stored text harmless.
package render
