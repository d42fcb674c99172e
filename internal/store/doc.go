// Package store holds tasker's records in SQL, over the snapshots and turns of package db.
package store
