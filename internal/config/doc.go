// Package config reads the configuration of a project: what may be said, in which layers, and what it comes to.
//
// The whole format is declared once, in format.go: a tree of keys with their types, defaults, bounds, words for
// people and what each changes. From it come the strict decoder (check.go), the JSON Schema (Schema), the reference
// page (Reference), the names for completion (Keys) and explain. Nothing about a key is written a second time; the
// Go fields of Config are bound to it by their json tags, and a test keeps the two in step.
//
// A value comes from one of six layers, the last that sets it wins: defaults, db, file, local, env, flags. Objects
// merge key by key; arrays and scalars are replaced whole. Load finds and checks the files, the environment and the
// flags; Loaded.For adds the db layer of one project and answers what counts for it, and Effective.Explain says for
// each key where its value comes from and what it replaced.
//
// The package is pure: it sees the working directory, the environment and files only through Options. FromOS makes
// Options from the process, Holder keeps a configuration current for a server.
package config
