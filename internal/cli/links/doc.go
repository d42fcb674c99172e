// Package links holds the commands for links to other systems: bind tasks, decide who owns which field, pull, plan and
// push, and settle what the systems disagree about.
package links
