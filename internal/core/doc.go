// Package core holds the operations: each loads, asks the domain to decide, saves, and records the event, in one
// transaction. It knows no face and no database; what it needs from outside comes in through narrow interfaces.
package core
