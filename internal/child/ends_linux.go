package child

import "syscall"

// endsWithUs has the kernel tell a program to stop when the thread that started it is gone. It may still put its files in order,
// as git does with its locks.
func endsWithUs(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGTERM }
