// Package admin holds the commands that look after an installation: projects and their settings, the configuration,
// sessions, the database, the server, and the links to other systems.
package admin
