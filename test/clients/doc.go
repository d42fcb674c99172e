// Package clients generates clients from the OpenAPI document of a running server, with the generators that people use
// most (oapi-codegen for Go, openapi-typescript for TypeScript), compiles them, and has them read and write there. The
// generators are pinned; scripts/test-env installs them.
package clients
