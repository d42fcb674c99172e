// Package security tries what SECURITY.md promises: every route at the front door with every credential, origin and
// host; every operation as an agent; a session that sees one project; secrets that are looked for everywhere; a
// hostile page in Chromium. Each test takes its routes and operations from the program itself, so that one which is
// added later is tried too, or the test fails.
package security
