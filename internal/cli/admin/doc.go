// Package admin holds the commands that look after an installation: projects and their settings, the configuration,
// sessions, the database and the server.
package admin
