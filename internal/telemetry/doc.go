// Package telemetry counts what a server does, in the text format that Prometheus scrapes, and sends the spans of requests
// to a collector of OpenTelemetry.
//
// Of metrics it has the three kinds that we use (counter, gauge, histogram) and nothing else: Prometheus' own client takes
// half a millisecond at the start of every command to initialise what a command never uses.
// Nor do we use OpenTelemetry's exporters, which load protocol buffer descriptors at the start of every command. What we
// need is small: ids, a bounded queue, and one kind of request, OTLP as JSON over HTTP.
package telemetry
