package child

import "syscall"

// endsWithUs has the kernel send SIGTERM to a program when the thread that started it is gone. The program can still clean
// up, as git does with its locks.
func endsWithUs(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGTERM }
