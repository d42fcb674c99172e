package db

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
