module tasker

go 1.26.0
