// Package providers drives the chain of environment providers from a configuration file to the variables of a workspace,
// and compares docs/providers.md with what the providers declare.
package providers
