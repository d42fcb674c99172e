package db

import "strings"

// Exec runs a statement whose error can wait. A connection keeps the first error of a member: every later call returns it,
// and the member ends with it, whatever it returns itself. So a series of changes needs no check after each of them.
func Exec(c Conn, want int, sql string, args ...any) { _ = c.Exec(want, sql, args...) }

// Bulk is Exec for many new rows of a table.
func Bulk(c Conn, table string, columns []string, rows [][]any) {
	_ = c.Bulk(table, columns, len(rows), func(i int) []any { return rows[i] })
}

// All returns the rows of a query as converted by read, in order.
func All[T any](c Conn, sql string, args []any, read func(Row) (T, error)) (out []T, err error) {
	err = c.Query(sql, args, collect(&out, read))
	return out, err
}

// AllIn is All for a statement with a list of keys, written as KEYS, after the other arguments. A long list takes several
// statements: see Batches.
func AllIn[K, T any](c Conn, sql string, keys []K, read func(Row) (T, error), args ...any) (out []T, err error) {
	err = EachIn(c, sql, keys, collect(&out, read), args...)
	return out, err
}

// EachIn runs a query with a list of keys, as in AllIn.
func EachIn[K any](c Conn, sql string, keys []K, row func(Row) error, args ...any) error {
	return Batches(keys, func(run []any) error {
		list := In(len(args)+1, len(run))
		return c.Query(strings.ReplaceAll(sql, "KEYS", list), append(args[:len(args):len(args)], run...), row)
	})
}

// First returns the first row of a query as converted by read, or nil if there is none.
func First[T any](c Conn, sql string, args []any, read func(Row) (T, error)) (*T, error) {
	all, err := All(c, sql, args, read)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// Value returns the one value that a query selects, or zero if there is no row.
func Value[A Column](c Conn, sql string, args ...any) (v A, err error) {
	err = c.Query(sql, args, Scan1(func(a A) error { v = a; return nil }))
	return v, err
}

// Values returns the values of a query's only column.
func Values[A Column](c Conn, sql string, args ...any) ([]A, error) {
	return All(c, sql, args, Read1(func(a A) A { return a }))
}

// Pairs returns the second column of a query by the first.
func Pairs[A interface {
	Column
	comparable
}, B Column](c Conn, sql string, args ...any) (map[A]B, error) {
	out := map[A]B{}
	return out, c.Query(sql, args, Scan2(func(a A, b B) error { out[a] = b; return nil }))
}

// Some reports whether a query has a row.
func Some(c Conn, sql string, args ...any) (some bool, err error) {
	err = c.Query(sql, args, func(Row) error { some = true; return nil })
	return some, err
}

// collect returns a function that adds a row to a list.
func collect[T any](out *[]T, read func(Row) (T, error)) func(Row) error {
	return func(row Row) error {
		one, err := read(row)
		*out = append(*out, one)
		return err
	}
}

// Read1 to Read5 turn a function of columns into one that reads a row, as Scan1 does.
func Read1[A Column, T any](fn func(A) T) func(Row) (T, error) {
	return func(row Row) (T, error) { return fn(column[A](row, 0)), nil }
}

// Read2 is Read1 for two columns.
func Read2[A, B Column, T any](fn func(A, B) T) func(Row) (T, error) {
	return func(row Row) (T, error) { return fn(column[A](row, 0), column[B](row, 1)), nil }
}

// Read3 is Read1 for three columns.
func Read3[A, B, C Column, T any](fn func(A, B, C) T) func(Row) (T, error) {
	return func(row Row) (T, error) { return fn(column[A](row, 0), column[B](row, 1), column[C](row, 2)), nil }
}

// Read5 is Read1 for five columns.
func Read5[A, B, C, D, E Column, T any](fn func(A, B, C, D, E) T) func(Row) (T, error) {
	return func(row Row) (T, error) {
		return fn(column[A](row, 0), column[B](row, 1), column[C](row, 2), column[D](row, 3), column[E](row, 4)), nil
	}
}

// Read4 is Read1 for four columns.
func Read4[A, B, C, D Column, T any](fn func(A, B, C, D) T) func(Row) (T, error) {
	return func(row Row) (T, error) {
		return fn(column[A](row, 0), column[B](row, 1), column[C](row, 2), column[D](row, 3)), nil
	}
}
