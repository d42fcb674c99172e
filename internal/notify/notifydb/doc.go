// Package notifydb reads and writes the deliveries of inbox items, and how far each channel has come.
package notifydb
