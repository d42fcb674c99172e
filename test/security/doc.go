// Package security tests what SECURITY.md promises: every route at the front door with every credential, origin and host;
// every operation as an agent; a session that sees one project; secrets, which it searches for everywhere; a hostile page
// in Chromium. Each test takes its routes and operations from the program itself, so that a new one is tested too, or the
// test fails.
package security
