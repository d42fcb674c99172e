// Package providers drives the chain of environment providers from a configuration file to the variables of a workspace,
// and holds docs/providers.md to what the providers declare.
package providers
