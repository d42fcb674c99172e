package db

import (
	"slices"
	"strconv"
	"strings"
)

// Exec runs a statement whose error can wait. A connection keeps the first error of a member: every later call returns it,
// and the member ends with it. So a series of changes needs no check after each of them.
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
	return out, c.Query(sql, args, Each2(func(a A, b B) { out[a] = b }))
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

// Column is what a column can be read as. A null is the zero value, or a nil pointer.
type Column interface {
	int64 | int | bool | string | []byte | *int64
}

// Scan1 to Scan5 turn a function of columns into a function of rows, so that a read names the columns that it selects, in
// order:
//
//	conn.Query(`SELECT task, body FROM task_body`, nil, db.Scan2(func(task int64, body string) error { … }))
//
// Bytes are valid until the next row.
func Scan1[A Column](fn func(A) error) func(Row) error {
	return func(row Row) error { return fn(column[A](row, 0)) }
}

// Scan2 is Scan1 for two columns.
func Scan2[A, B Column](fn func(A, B) error) func(Row) error {
	return func(row Row) error { return fn(column[A](row, 0), column[B](row, 1)) }
}

// Scan3 is Scan1 for three columns.
func Scan3[A, B, C Column](fn func(A, B, C) error) func(Row) error {
	return func(row Row) error { return fn(column[A](row, 0), column[B](row, 1), column[C](row, 2)) }
}

// Each1 is Scan1 for a function that cannot fail.
func Each1[A Column](fn func(A)) func(Row) error {
	return func(row Row) error {
		fn(column[A](row, 0))
		return nil
	}
}

// Each2 is Scan2 for a function that cannot fail.
func Each2[A, B Column](fn func(A, B)) func(Row) error {
	return func(row Row) error {
		fn(column[A](row, 0), column[B](row, 1))
		return nil
	}
}

// Each3 is Scan3 for a function that cannot fail.
func Each3[A, B, C Column](fn func(A, B, C)) func(Row) error {
	return func(row Row) error {
		fn(column[A](row, 0), column[B](row, 1), column[C](row, 2))
		return nil
	}
}

// Scan4 is Scan1 for four columns.
func Scan4[A, B, C, D Column](fn func(A, B, C, D) error) func(Row) error {
	return func(row Row) error {
		return fn(column[A](row, 0), column[B](row, 1), column[C](row, 2), column[D](row, 3))
	}
}

// Scan5 is Scan1 for five columns.
func Scan5[A, B, C, D, E Column](fn func(A, B, C, D, E) error) func(Row) error {
	return func(row Row) error {
		return fn(column[A](row, 0), column[B](row, 1), column[C](row, 2), column[D](row, 3), column[E](row, 4))
	}
}

func column[T Column](row Row, i int) (v T) {
	switch p := any(&v).(type) {
	case *int64:
		*p = row.Int(i)
	case *int:
		*p = int(row.Int(i))
	case *bool:
		*p = row.Int(i) != 0
	case *string:
		*p = row.Text(i)
	case *[]byte:
		*p = row.Bytes(i)
	case **int64:
		if !row.Null(i) {
			n := row.Int(i)
			*p = &n
		}
	}
	return v
}

// runs are the lengths that a list in a statement may have; 100 and 160 fit two and three columns of a board.
var runs = []int{1, 4, 16, 64, 100, 160, 256}

// Batches cuts a list of keys into runs of a few lengths, so that their statements stay prepared. It pads each run to its
// length by repeating the last key, which does not matter in a set.
func Batches[K any](keys []K, fn func(run []any) error) error {
	for len(keys) > 0 {
		at, _ := slices.BinarySearch(runs, len(keys))
		size := runs[min(at, len(runs)-1)]
		run := make([]any, size)
		for i := range run {
			run[i] = keys[min(i, len(keys)-1)]
		}
		if err := fn(run); err != nil {
			return err
		}
		keys = keys[min(size, len(keys)):]
	}
	return nil
}

// Args returns a list as arguments of a statement, after first.
func Args[T any](list []T, first ...any) []any {
	for _, v := range list {
		first = append(first, v)
	}
	return first
}

// In writes "($first, …)" for a list of n parameters.
func In(first, n int) string {
	b := make([]byte, 0, n*5)
	b = append(b, '(')
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '$')
		b = strconv.AppendInt(b, int64(first+i), 10)
	}
	return string(append(b, ')'))
}
