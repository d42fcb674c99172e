// Package config reads the configuration of a project and determines the effective values.
//
// What the file may contain is declared once, in config/format; a value with its line and column is a node of package
// strict. The json tags of Config bind its Go fields to the declaration, and a test keeps the two in step.
//
// A value comes from one of six layers, and the last that sets it wins: defaults, db, file, local, env, flags. Objects
// merge key by key; arrays and scalars are replaced as a whole. Load finds and checks the files, the environment and
// the flags; Loaded.For adds the db layer of one project and returns its effective configuration, and Effective.Explain
// says for each key where its value comes from and what it replaced.
//
// The package is pure: it sees the working directory, the environment and files only through Options. FromOS makes
// Options from the process, Holder keeps a configuration current for a server.
package config
