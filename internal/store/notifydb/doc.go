// Package notifydb stores the deliveries of inbox items, and how far delivery to each channel has come.
package notifydb
