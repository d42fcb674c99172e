// Package cli is the command line: arguments in, words out. A command fills an operation's input, calls it through
// op, and renders its output; no rule of the domain lives here. What the process gives (arguments, environment,
// streams, directory, clock) and what the rest of the program offers (a database, a server's client, a server) come
// in as values, so that a test can run a whole command line in memory.
//
// Everything that reaches a terminal passes through Terminal, which makes stored text harmless.
package cli
