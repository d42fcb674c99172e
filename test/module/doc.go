// Package module gives a copy of the source tree another module path and builds it: nobody knows yet where the module
// will be published, and `make module PATH=host/owner/tasker` must be all it takes.
package module
