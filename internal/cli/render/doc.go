// Package render says how records look in a terminal: tasks, bundles, claims, moves, what comes next, moments and
// statuses. A function of it prints through the factory's terminal, which makes stored text harmless.
package render
