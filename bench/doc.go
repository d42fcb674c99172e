// Bench measures what tasker promises about its speed, as ratios against yardsticks that are measured side by side in the
// same run, so that a slower machine or a busy one changes both. It prints one table for each database, writes them
// to bench/results.md, and exits with 1 if a ratio misses its bound.
//
// `make bench` runs all of it. `make bench ARGS='-run next -db sqlite -runs 9'` runs a part.
package main
