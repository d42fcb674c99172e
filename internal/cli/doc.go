// Package cli is the command line: arguments in, words out. Main runs one command line and returns the exit code.
//
// This package is the root that assembles the commands: the tree, its help, and what `tasker` prints without a command.
// The commands themselves are in packages by family, small related ones in one file:
//
//	planning   apply, add, edit, undo
//	work       next, claim, move and its short forms, check, note, evidence, prove, ask, answer, decide, wait
//	reading    list, show, ready, board, work, machine, proof, explain, search, events
//	inbox      inbox, estate, overview, brief, approve
//	notify     notify
//	ui         ui, the full-screen view
//	links      bind, sync, ownership, conflicts, resolve
//	transfer   import, export
//	agent      init, prime, run, mcp, setup, whoami
//	workspace  workspace
//	admin      project, config, session, doctor, backup, db, serve, version, upgrade
//
// A command fills an operation's input, calls the operation through op and renders its output; no domain rule lives
// here. The families import frame (the factory, flags, exit codes), render (how records look), follow (waiting for
// events) and term (the terminal), but not one another.
//
// Everything from the process (arguments, environment, streams, directory, clock) and from the rest of the program (a
// database, a client, a server) is passed in as values, so that a test can run a whole command line in memory.
package cli
