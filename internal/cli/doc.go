// Package cli is the command line: arguments in, words out. Main runs one command line and returns the exit code.
//
// This package is the root that puts the commands together: the tree, its help, and what `tasker` says without a
// command. The commands themselves are in packages by family, a file for each:
//
//	planning  apply, add, edit
//	working   next, claim, move and its short forms, check, note, evidence, prove, ask, answer, decide, wait
//	looking   list, show, ready, board, work, machine, proof, explain, search, events
//	people    inbox, estate, overview, brief, approve
//	ui        ui, the full-screen view
//	agents    prime, run, mcp, setup, whoami
//	admin     project, config, session, doctor, db, serve, sync, version, upgrade
//
// A command fills an operation's input, calls the operation through op and renders its output; no rule of the domain
// lives here. The families know what is in frame (the factory, flags, exit codes), render (how records look), follow
// (waiting for events) and term (the terminal), and not one another.
//
// What the process gives (arguments, environment, streams, directory, clock) and what the rest of the program offers
// (a database, a server's client, a server) come in as values, so that a test can run a whole command line in memory.
package cli
