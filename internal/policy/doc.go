// Package policy decides who may do what, and what counts: the gates in force for a project, the policy of record, the
// layer of settings that the database keeps, and which changes only a human may make.
package policy
